import { titleOf, type Platform } from '../../../api/contract';
import { isVague, mediaType, withoutQuery } from '../../../api/fileTypes';
import { filled, leftOverWarnings } from '../../../api/texts';
import { reachOf } from '../../../shared/addresses';
import type { FileFacts } from '../../media/files';
import { weightedLength } from './xLength';

/** Published limits, looked up from 2026-11-23 to 2026-11-27. They only warn: limits change, and the service decides. */
interface Network {
	text: ReadonlyArray<Sourced & { limit: number; unit: keyof typeof counters }>;
	/** After how many characters a feed hides the rest behind "more"; left out: it shows the whole text. */
	fold?: Sourced & { after: number };
	count?: Sourced & { most: number };
	needs?: Sourced & { media: string };
	/** What a post may have one of, and then nothing else. */
	alone?: Sourced & { kinds: ReadonlyArray<keyof typeof kinds> };
	/** The first kind that fits counts. */
	files?: readonly FileLimit[];
}

export interface Sourced {
	source: string;
}

interface FileLimit extends Sourced {
	kind: keyof typeof kinds;
	/** The second halves of the content types that are taken. */
	types?: readonly string[];
	maxBytes?: number;
}

const kinds = {
	GIFs: /^image\/gif$/,
	images: /^image\//,
	videos: /^video\//,
	documents: /^application\/(pdf|msword|vnd\.)/,
};

const singular: Readonly<Record<keyof typeof kinds, string>> = {
	GIFs: 'a GIF',
	images: 'an image',
	videos: 'a video',
	documents: 'a document',
};

const MB = 1024 ** 2;
const GB = 1024 ** 3;

const bluesky = 'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json';
const blueskyFiles =
	'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/images.json';
const blueskyVideos = 'https://help.swat.io/en/articles/11988686-bluesky-video-format-requirements';
const facebook = 'https://docs.upload-post.com/resources/character-limits/';
const facebookFiles = 'https://docs.getlate.dev/resources/media-guidelines/facebook';
const facebookVideos = 'https://www.ayrshare.com/docs/media-guidelines/facebook-pages';
// Networks don't publish where they cut texts off, and phones show less: the highest figures that were found.
const folds = 'https://posttruncate.com/en/platform-limits/';
const instagram =
	'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media';
const linkedin = 'https://www.ayrshare.com/docs/apis/post/social-networks/linkedin';
const linkedinFiles = 'https://docs.getlate.dev/resources/media-guidelines/linkedin';
const linkedinPapers = 'https://ayrshare.com/docs/media-guidelines/linkedin';
const tiktok = 'https://developers.tiktok.com/doc/content-posting-api-reference-direct-post';
const tiktokPhotos = 'https://developers.tiktok.com/doc/content-posting-api-reference-photo-post';
const tiktokFiles = 'https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide';
const xFiles = 'https://docs.x.com/x-api/media/quickstart/best-practices';
const youtube = 'https://developers.google.com/youtube/v3/docs/videos#snippet.description';
const youtubeFiles = 'https://developers.google.com/youtube/v3/docs/videos/insert';

export const networks: Readonly<Record<Platform, Network>> = {
	instagram: {
		text: [{ limit: 2200, unit: 'characters', source: instagram }],
		fold: { after: 125, source: folds },
		count: { most: 10, source: 'https://ayrshare.com/apis/post/social-networks/instagram' },
		needs: { media: 'an image or a video', source: instagram },
		files: [
			{ kind: 'images', types: ['jpeg'], maxBytes: 8 * MB, source: instagram },
			{ kind: 'videos', types: ['mp4', 'quicktime'], source: instagram },
		],
	},
	tiktok: {
		text: [{ limit: 2200, unit: 'utf16', source: tiktok }],
		fold: { after: 150, source: 'https://toolshake.xyz/tool/caption-character-counter/' },
		count: { most: 35, source: 'https://docs.getlate.dev/resources/media-guidelines/tiktok' },
		needs: { media: 'an image or a video', source: tiktokFiles },
		alone: { kinds: ['videos'], source: tiktokPhotos },
		files: [
			{ kind: 'images', types: ['jpeg', 'webp'], maxBytes: 20 * MB, source: tiktokFiles },
			{ kind: 'videos', types: ['mp4', 'quicktime', 'webm'], maxBytes: 4 * GB, source: tiktokFiles },
		],
	},
	youtube: {
		text: [{ limit: 5000, unit: 'bytes', source: youtube }],
		fold: { after: 157, source: 'https://toolsdeck.app/guide/social-media-character-limits' },
		// A request uploads one video.
		count: { most: 1, source: youtubeFiles },
		needs: { media: 'a video', source: youtubeFiles },
		files: [
			{ kind: 'images', types: [], source: youtubeFiles },
			{ kind: 'videos', maxBytes: 256 * GB, source: youtubeFiles },
		],
	},
	x: {
		text: [{ limit: 280, unit: 'weighted', source: 'https://docs.x.com/fundamentals/counting-characters' }],
		count: { most: 4, source: xFiles },
		alone: { kinds: ['GIFs', 'videos'], source: xFiles },
		files: [
			{ kind: 'GIFs', maxBytes: 15 * MB, source: xFiles },
			{ kind: 'images', types: ['jpeg', 'png', 'webp'], maxBytes: 5 * MB, source: xFiles },
			{ kind: 'videos', maxBytes: 512 * MB, source: xFiles },
		],
	},
	linkedin: {
		text: [{ limit: 3000, unit: 'characters', source: linkedin }],
		fold: { after: 210, source: folds },
		count: { most: 20, source: linkedinFiles },
		alone: { kinds: ['videos', 'documents'], source: linkedinFiles },
		files: [
			// Elsewhere: images of 5 MB, videos of 500 MB.
			{ kind: 'images', types: ['jpeg', 'png', 'gif'], maxBytes: 8 * MB, source: linkedinFiles },
			{ kind: 'videos', types: ['mp4', 'quicktime', 'x-msvideo'], maxBytes: 5 * GB, source: linkedinFiles },
			{ kind: 'documents', maxBytes: 100 * MB, source: linkedinPapers },
		],
	},
	facebook: {
		text: [{ limit: 63_206, unit: 'characters', source: facebook }],
		// A limit for photos of 10 is in facebookFiles, none in https://publer.com/docs/create-posts/content-types/photo-posts.
		fold: { after: 480, source: folds },
		alone: { kinds: ['videos'], source: facebookFiles },
		files: [
			// WebP is in facebookFiles alone, BMP and TIFF in facebookVideos; videos of 4 GB there, 10 GB here.
			{
				...{ kind: 'images', maxBytes: 10 * MB, source: facebookFiles },
				types: ['jpeg', 'png', 'gif', 'webp', 'bmp', 'tiff'],
			},
			// Of every type: https://developers.facebook.com/docs/video-api/reference.
			{ kind: 'videos', maxBytes: 10 * GB, source: facebookVideos },
		],
	},
	bluesky: {
		text: [
			{ limit: 300, unit: 'graphemes', source: bluesky },
			{ limit: 3000, unit: 'bytes', source: bluesky },
		],
		// The lexicon says 4 images, of 2 MB each (formerly 1 MB); 10 are reported, too.
		count: { most: 10, source: blueskyFiles },
		// A post embeds images or one video.
		alone: { kinds: ['videos'], source: bluesky },
		files: [
			// Elsewhere: videos of 100 MB, of MP4 alone.
			{ kind: 'images', maxBytes: 2 * MB, source: blueskyFiles },
			{
				...{ kind: 'videos', maxBytes: GB, source: blueskyVideos },
				types: ['mp4', 'quicktime', 'webm', 'mpeg'],
			},
		],
	},
};

/** Node copies the whole text for each grapheme: of a long one the memory would not suffice. */
const MAX_SEGMENTED = 3000;
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const counters = {
	characters: (text: string) => [...text].length,
	utf16: (text: string) => text.length,
	bytes: (text: string) => Buffer.byteLength(text),
	graphemes: (text: string) =>
		(text.length > MAX_SEGMENTED ? [...text] : [...graphemes.segment(text)]).length,
	weighted: weightedLength,
};

/** Why a network is known to refuse a text. */
export const textWarnings = (platform: string, text: string): string[] =>
	filled([...leftOverWarnings(text), countText(platform, text).warning]);

const networkOf = (platform: string): Network | undefined =>
	new Map<string, Network>(Object.entries(networks)).get(platform);

const formatted = (count: number): string => count.toLocaleString('en-US');

/** What a text counts on a network, such as `263 of 280`, against the limit that it exceeds, else against the first one. */
export function countText(platform: string, text: string): { characters: string; warning?: string } {
	const limits = networkOf(platform)?.text ?? [];
	const counts = limits.map(({ limit, unit }) => ({ count: counters[unit](text), limit, unit }));
	const counted = counts.find(({ count, limit }) => count > limit) ?? counts[0];
	if (!counted) return { characters: '' };
	const { count, limit, unit } = counted;
	const most = `${formatted(limit)}${unit === 'bytes' ? ' bytes' : ''}`;
	const allowed = `${titleOf(platform)} allows ${formatted(limit)} ${unit === 'bytes' ? unit : 'characters'}`;
	const warning = `${allowed}: this text counts as ${formatted(count)}, ${formatted(count - limit)} too many`;
	return { characters: `${formatted(count)} of ${most}`, ...(count > limit ? { warning } : {}) };
}

/** Where in a text the network's feed hides the rest, never within a character; undefined where it shows all of it. */
export function foldOf(platform: string, text: string): number | undefined {
	let left = networkOf(platform)?.fold?.after;
	if (left === undefined) return undefined;
	for (const { index } of graphemes.segment(text.slice(0, MAX_SEGMENTED))) if (left-- === 0) return index;
	return undefined;
}

/** Why a network is known to refuse a post's files, or a post without any; of what isn't known, nothing. */
export function mediaWarnings(platform: string, files: readonly FileFacts[]): string[] {
	const { needs, count, alone, files: limits = [] } = networkOf(platform) ?? {};
	const title = titleOf(platform);
	if (needs && files.length === 0) return [`${title} posts need ${needs.media}: this one has none`];
	const kindsHere = files.map((file) => kindOf(typeOfFile(file), limits)?.kind);
	const lonely = files.length > 1 ? alone?.kinds.find((kind) => kindsHere.includes(kind)) : undefined;
	const has = `this post has ${files.length}`;
	return filled([
		count && files.length > count.most && `${title} takes up to ${filesInWords(count.most)}: ${has}`,
		lonely && `${title} takes ${singular[lonely]} only by itself: ${has} files`,
		...files.flatMap((file) => fileWarnings(title, file, limits)),
	]);
}

const filesInWords = (count: number): string => `${count} file${count === 1 ? '' : 's'}`;

/** What a file is called; the query of a signed URL is a secret. */
const nameOf = ({ name }: FileFacts): string => (URL.canParse(name) ? withoutQuery(name) : name);

const typeOfFile = (file: FileFacts): string => mediaType(file.contentType, nameOf(file));

const kindOf = (type: string, limits: readonly FileLimit[]): FileLimit | undefined =>
	limits.find(({ kind }) => kinds[kind].test(type));

/** Types whose name isn't that of their files. */
const typeNames: Readonly<Record<string, string>> = { quicktime: 'MOV', 'x-msvideo': 'AVI' };

const typesInWords = (types: readonly string[]): string =>
	types.length === 0 ? 'no' : `only ${types.map((one) => typeNames[one] ?? one.toUpperCase()).join(', ')}`;

/** Why a network is known to refuse a file by its type or size. */
function fileWarnings(title: string, file: FileFacts, limits: readonly FileLimit[]): string[] {
	const name = nameOf(file);
	const type = typeOfFile(file);
	const limit = kindOf(type, limits);
	if (!limit) {
		const isKnown = !isVague(type);
		return isKnown && limits.length > 0 ? [`${title} takes no such files: '${name}' is ${type}`] : [];
	}
	const { kind, types, maxBytes = Infinity } = limit;
	const { sizeBytes = 0 } = file;
	const isOtherType = types && !types.includes(type.split('/')[1]!);
	const [size, most] = [sizeBytes, maxBytes].map(sizeInWords);
	return filled([
		isOtherType && `${title} takes ${typesInWords(types)} ${kind}: '${name}' is ${type}`,
		sizeBytes > maxBytes && `${title} takes ${kind} of up to ${most}: '${name}' has ${size}`,
	]);
}

/** Why the service may not get a file from an address that a user gave: only this computer or network knows its host. */
export const addressWarnings = (addresses: readonly string[], apiUrl: string): string[] =>
	addresses.flatMap((address) => {
		const [url, service] = [new URL(address), new URL(apiUrl)];
		if (reachOf(url) === 'everywhere' || url.host === service.host) return [];
		return [`The service may not reach ${withoutQuery(address)}, an address of this computer or network`];
	});

/** Rounded up, so that a file that is too large by a little looks so. */
export const sizeInWords = (bytes: number): string => `${formatted(Math.ceil((bytes / MB) * 10) / 10)} MB`;
