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

const graphemes = (text: string): string[] =>
	[...new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment);

/** Characters that X counts once; any other, such as an emoji or a Chinese one, counts twice. */
const COUNTED_ONCE = /^[\p{ASCII}\u0080-\u10ff\u2000-\u200d\u2010-\u201f\u2032-\u2037]+$/u;

/** A link counts 23 on X, whatever its length. */
const weighted = (text: string): number =>
	graphemes(text.replace(/https?:\/\/\S+/g, '-'.repeat(23)).normalize('NFC')).reduce(
		(sum, one) => sum + (COUNTED_ONCE.test(one) ? one.length : 2),
		0,
	);

function lengthOn(platform: Platform, text: string): number {
	if (platform === 'x') return weighted(text);
	return platform === 'bluesky' ? graphemes(text).length : [...text].length;
}

/** Why the network refuses the post, as the API learns at publication; empty where it takes it. */
export function refusalOf(platform: Platform, { text, media }: Post, known: Map<string, Media>): string {
	const length = lengthOn(platform, text);
	const max = MAX_CHARACTERS[platform];
	if (length > max) return `The text has ${length} of ${max} characters.`;
	const isPicture = (url: string) => known.get(url)?.contentType.startsWith('image/');
	const isVideo = (url: string) => known.get(url)?.contentType.startsWith('video/');
	if (platform === 'youtube' && !media.some(isVideo)) return 'The post needs a video.';
	if (['instagram', 'tiktok'].includes(platform) && media.length === 0)
		return 'The post needs an image or a video.';
	const isOther = (url: string) => isPicture(url) && known.get(url)!.contentType !== 'image/jpeg';
	if (platform === 'instagram' && media.some(isOther)) return 'Images have to be JPEG.';
	return '';
}
