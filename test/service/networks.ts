import type { Media, Platform, Post } from './types';

/** Longest text of a post, in characters as the network counts them. */
export const MAX_CHARACTERS: Record<Platform, number> = {
	instagram: 2_200,
	tiktok: 2_200,
	youtube: 5_000,
	x: 280,
	linkedin: 3_000,
	facebook: 63_206,
	bluesky: 300,
};

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Node copies the whole text for each grapheme: of a long one the memory would not suffice, and it is too long anyway. */
const graphemes = (text: string): string[] =>
	text.length > 3_000 ? [...text] : [...segmenter.segment(text)].map(({ segment }) => segment);

/** Characters that X counts once; any other, such as an emoji or a Chinese one, counts twice. */
const COUNTED_ONCE = /^[\p{ASCII}\u0080-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]+$/u;

/** A link counts 23 on X, whatever its length. */
const weighted = (text: string): number =>
	graphemes(text.replace(/https?:\/\/\S+/g, '-'.repeat(23)).normalize('NFC')).reduce(
		(sum, one) => sum + (COUNTED_ONCE.test(one) ? one.length : 2),
		0,
	);

const points = (text: string): number => [...text].length;

interface Limits {
	/** How a text is counted, against {@link MAX_CHARACTERS}. */
	count(text: string): number;
	/** What is in a text that the network refuses. */
	refused?: ReadonlyArray<[what: string, isIn: (text: string) => boolean]>;
	/** Most files of a post. */
	files: number;
	needs?: 'a video' | 'an image or a video';
	/** Content types that are taken, and of how many MB. */
	takes: ReadonlyArray<[type: RegExp, megabytes: number]>;
}

const LIMITS: Record<Platform, Limits> = {
	instagram: {
		count: points,
		refused: [
			['more than 30 hashtags', (text) => (text.match(/#[\p{L}\p{N}_]+/gu) ?? []).length > 30],
			['more than 20 mentions', (text) => (text.match(/(?<![\w.])@[\w.]+/g) ?? []).length > 20],
		],
		files: 10,
		needs: 'an image or a video',
		takes: [
			[/^image\/jpeg$/, 8],
			[/^video\/(mp4|quicktime)$/, Infinity],
		],
	},
	tiktok: {
		count: (text) => text.length,
		files: 35,
		needs: 'an image or a video',
		takes: [
			[/^image\/(jpeg|webp)$/, 20],
			[/^video\/(mp4|quicktime|webm)$/, 4 * 1024],
		],
	},
	youtube: {
		count: (text) => Buffer.byteLength(text),
		refused: [["'<' or '>'", (text) => /[<>]/.test(text)]],
		files: 1,
		needs: 'a video',
		takes: [[/^video\//, 256 * 1024]],
	},
	x: {
		count: weighted,
		files: 4,
		takes: [
			[/^image\/gif$/, 15],
			[/^image\/(jpeg|png|webp)$/, 5],
			[/^video\//, 512],
		],
	},
	linkedin: {
		count: points,
		files: 20,
		takes: [
			[/^image\/(jpeg|png|gif)$/, 8],
			[/^video\/(mp4|quicktime|x-msvideo)$/, 5 * 1024],
			[/^application\/(pdf|msword|vnd\.)/, 100],
		],
	},
	facebook: {
		count: points,
		files: Infinity,
		takes: [
			[/^image\/(jpeg|png|gif|webp|bmp|tiff)$/, 10],
			[/^video\//, 10 * 1024],
		],
	},
	bluesky: {
		count: (text) => graphemes(text).length,
		refused: [['more than 3000 bytes', (text) => Buffer.byteLength(text) > 3000]],
		files: 10,
		takes: [
			[/^image\//, 2],
			[/^video\/(mp4|quicktime|webm|mpeg)$/, 1024],
		],
	},
};

/** Why the network refuses the post, as the API learns at publication; empty where it takes it. */
export function refusalOf(platform: Platform, { text, media }: Post, known: Map<string, Media>): string {
	const { count, refused = [], files, needs, takes } = LIMITS[platform];
	const [length, max] = [count(text), MAX_CHARACTERS[platform]];
	if (length > max) return `The text has ${length} of ${max} characters.`;
	const mark = refused.find(([, isIn]) => isIn(text));
	if (mark) return `The text has ${mark[0]}.`;
	const uploaded = media.flatMap((url) => known.get(url) ?? []);
	const isMissing =
		needs === 'a video'
			? !uploaded.some(({ contentType }) => contentType.startsWith('video/'))
			: needs && media.length === 0;
	if (isMissing) return `The post needs ${needs}.`;
	if (media.length > files) return `The post has ${media.length} of ${files} files.`;
	for (const { contentType, filename, size } of uploaded) {
		const [, megabytes] = takes.find(([type]) => type.test(contentType)) ?? [];
		if (!megabytes) return `${filename} is ${contentType}, which is not taken.`;
		if (size > megabytes * 1024 ** 2) return `${filename} is larger than ${megabytes} MB.`;
	}
	return '';
}
