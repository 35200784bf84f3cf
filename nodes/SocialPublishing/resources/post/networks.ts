import type { Platform } from '../../../api/contract';
import { isVague, mediaType, typeOf, withoutQuery } from '../../../api/fileNames';
import { titleOf } from '../../../api/platforms';
import { filled } from '../../../api/texts';
import type { FileFacts } from '../../media/files';
import { weightedLength } from './xLength';

/** The published limits of each network. They only warn, since limits change and the service decides. */

/** Where a figure comes from, and when somebody looked. */
export interface Sourced {
	source: string;
	/** A date. */
	checked: string;
}

/** Width by height. */
type Shape = { proportions?: Sourced & { least: number; most: number; words: string } };

interface Network {
	text: ReadonlyArray<Sourced & { limit: number; unit: keyof typeof counters }>;
	/** What a text may have no more of. */
	marks?: ReadonlyArray<Sourced & { of: string; pattern: RegExp; most: number }>;
	/** After how many characters a feed hides the rest behind "more"; left out: it shows the whole text. */
	fold?: Sourced & { after: number };
	/** How many files a post takes. */
	count?: Sourced & { most: number };
	/** What every post needs. */
	needs?: Sourced & { media: string };
	/** By the beginning of the content type; the first one that fits counts. `types`: the second halves that it takes. */
	files?: ReadonlyArray<Sourced & { of: string; types?: readonly string[]; maxBytes?: number } & Shape>;
}

const MB = 1024 ** 2;
const GB = 1024 ** 3;

const sourced = (source: string, checked = '2026-11-23'): Sourced => ({ source, checked });
/** When the rows with files and counts were looked up. */
const seen = '2026-11-25';
const bluesky = sourced(
	'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/feed/post.json',
);
const blueskyImages = sourced(
	'https://github.com/bluesky-social/atproto/blob/main/lexicons/app/bsky/embed/images.json',
	seen,
);
const blueskyMedia = sourced('https://ayrshare.com/docs/media-guidelines/bluesky', seen);
const facebook = sourced('https://docs.upload-post.com/resources/character-limits/', seen);
const facebookMedia = sourced('https://www.ayrshare.com/docs/media-guidelines/facebook-pages', seen);
const facebookLate = sourced('https://docs.getlate.dev/resources/media-guidelines/facebook', seen);
const instagram = sourced(
	'https://developers.facebook.com/docs/instagram-platform/instagram-graph-api/reference/ig-user/media',
);
const linkedin = sourced('https://www.ayrshare.com/docs/apis/post/social-networks/linkedin');
const instagramText = sourced('https://ayrshare.com/apis/post/social-networks/instagram', seen);
// Networks don't publish where they cut texts off, and phones show less: the highest figures that were found.
const folds = sourced('https://posttruncate.com/en/platform-limits/', seen);
const foldsYoutube = sourced('https://toolsdeck.app/guide/social-media-character-limits', seen);
const foldsTiktok = sourced('https://toolshake.xyz/tool/caption-character-counter/', seen);
const instagramRules = sourced(
	'https://docs.contentstudio.io/article/830-what-are-the-requirements-to-directly-publish-images-and-videos-to-instagram',
	seen,
);
const instagramShape = sourced('https://www.ayrshare.com/docs/media-guidelines/instagram.md', seen);
const tiktokLate = sourced('https://docs.getlate.dev/resources/media-guidelines/tiktok', seen);
const linkedinMedia = sourced('https://docs.getlate.dev/resources/media-guidelines/linkedin', seen);
const linkedinFiles = sourced('https://ayrshare.com/docs/media-guidelines/linkedin', seen);
const tiktokMedia = sourced('https://developers.tiktok.com/doc/content-posting-api-media-transfer-guide');
const tiktokText = sourced('https://developers.tiktok.com/doc/content-posting-api-reference-direct-post');
const xMedia = sourced('https://docs.x.com/x-api/media/quickstart/best-practices', seen);
const xText = sourced('https://docs.x.com/fundamentals/counting-characters');
const youtubeMedia = sourced('https://developers.google.com/youtube/v3/docs/videos/insert');
const youtubeText = sourced('https://developers.google.com/youtube/v3/docs/videos#snippet.description', seen);

export const networks: Readonly<Record<Platform, Network>> = {
	instagram: {
		text: [{ limit: 2200, unit: 'characters', ...instagram }],
		fold: { after: 125, ...folds },
		// Elsewhere: 5 hashtags, 3 mentions.
		marks: [
			{ of: 'hashtags', pattern: /#[\p{L}\p{N}_]+/gu, most: 30, ...instagramRules },
			{ of: 'mentions', pattern: /(?<![\w.])@[\w.]+/g, most: 20, ...instagramRules },
		],
		count: { most: 10, ...instagramText },
		needs: { media: 'an image or a video', ...instagram },
		files: [
			// Elsewhere: nothing higher than 4:5. A photo that is stored on its side may be higher than it looks here.
			{
				...{ of: 'image/', types: ['jpeg'], maxBytes: 8 * MB, ...instagram },
				proportions: { least: 0.56, most: 1.91, words: '9:16 to 1.91:1', ...instagramShape },
			},
			{ of: 'video/', types: ['mp4', 'quicktime'], ...instagram },
		],
	},
	tiktok: {
		text: [{ limit: 2200, unit: 'utf16', ...tiktokText }],
		fold: { after: 150, ...foldsTiktok },
		count: { most: 35, ...tiktokLate },
		needs: { media: 'an image or a video', ...tiktokMedia },
		files: [
			{ of: 'image/', types: ['jpeg', 'webp'], maxBytes: 20 * MB, ...tiktokMedia },
			{ of: 'video/', types: ['mp4', 'quicktime', 'webm'], maxBytes: 4 * GB, ...tiktokMedia },
		],
	},
	youtube: {
		text: [{ limit: 5000, unit: 'bytes', ...youtubeText }],
		fold: { after: 157, ...foldsYoutube },
		marks: [{ of: "'<' or '>'", pattern: /[<>]/g, most: 0, ...youtubeText }],
		// A request uploads one video.
		count: { most: 1, ...youtubeMedia },
		needs: { media: 'a video', ...youtubeMedia },
		files: [
			{ of: 'image/', types: [], ...youtubeMedia },
			{ of: 'video/', maxBytes: 256 * GB, ...youtubeMedia },
		],
	},
	x: {
		text: [{ limit: 280, unit: 'weighted', ...xText }],
		count: { most: 4, ...xMedia },
		files: [
			{ of: 'image/gif', maxBytes: 15 * MB, ...xMedia },
			{ of: 'image/', types: ['jpeg', 'png', 'webp'], maxBytes: 5 * MB, ...xMedia },
			{ of: 'video/', maxBytes: 512 * MB, ...xMedia },
		],
	},
	linkedin: {
		text: [{ limit: 3000, unit: 'characters', ...linkedin }],
		fold: { after: 210, ...folds },
		count: { most: 20, ...linkedinMedia },
		files: [
			// Elsewhere: images of 5 MB, videos of 500 MB.
			{ of: 'image/', types: ['jpeg', 'png', 'gif'], maxBytes: 8 * MB, ...linkedinMedia },
			{ of: 'video/', types: ['mp4', 'quicktime', 'x-msvideo'], maxBytes: 5 * GB, ...linkedinMedia },
			{ of: 'application/pdf', maxBytes: 100 * MB, ...linkedinFiles },
			{ of: 'application/msword', maxBytes: 100 * MB, ...linkedinFiles },
			{ of: 'application/vnd.', maxBytes: 100 * MB, ...linkedinFiles },
		],
	},
	facebook: {
		text: [{ limit: 63_206, unit: 'characters', ...facebook }],
		fold: { after: 480, ...folds },
		count: { most: 10, ...facebookLate },
		files: [
			// WebP is in facebookLate alone, BMP and TIFF in facebookMedia; videos of 4 GB there, 10 GB here.
			{
				of: 'image/',
				types: ['jpeg', 'png', 'gif', 'webp', 'bmp', 'tiff'],
				maxBytes: 10 * MB,
				...facebookLate,
			},
			{ of: 'video/', types: ['mp4', 'quicktime', 'x-msvideo'], maxBytes: 10 * GB, ...facebookMedia },
		],
	},
	bluesky: {
		text: [
			{ limit: 300, unit: 'graphemes', ...bluesky },
			{ limit: 3000, unit: 'bytes', ...bluesky },
		],
		// The lexicon says 4 images, of 2 MB each (formerly 1 MB); 10 are reported, too.
		count: { most: 10, ...blueskyImages },
		files: [
			// Elsewhere: videos of 100 MB.
			{ of: 'image/', maxBytes: 2 * MB, ...blueskyImages },
			{ of: 'video/', types: ['mp4'], maxBytes: GB, ...blueskyMedia },
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
export function textWarnings(platform: string, text: string): string[] {
	const marks = (networkOf(platform)?.marks ?? []).flatMap(({ of, pattern, most }) => {
		const count = text.match(pattern)?.length ?? 0;
		return count > most ? `${titleOf(platform)} allows ${most || 'no'} ${of}: this text has ${count}` : [];
	});
	const isLeftOver = /^\s*(\[object Object\]|undefined|null)\s*$/.test(text);
	const leftOver = isLeftOver && `The whole text is '${text.trim()}': check the expression`;
	return filled([leftOver, countText(platform, text).warning, ...marks]);
}

const networkOf = (platform: string): Network | undefined =>
	new Map<string, Network>(Object.entries(networks)).get(platform);

const formatted = (count: number): string => count.toLocaleString('en-US');

/**
 * What a text counts on a network, such as `263 of 280`, against the limit that it exceeds, else against the first one; and
 * by how much it is too long. Of a platform that isn't in the table, nothing is known.
 */
export function countText(platform: string, text: string): { characters: string; warning?: string } {
	const limits = networkOf(platform)?.text ?? [];
	const counts = limits.map(({ limit, unit }) => ({ count: counters[unit](text), limit, unit }));
	const counted = counts.find(({ count, limit }) => count > limit) ?? counts[0];
	if (!counted) return { characters: '' };
	const { count, limit, unit } = counted;
	const most = `${formatted(limit)}${unit === 'bytes' ? ' bytes' : ''}`;
	const said = `${titleOf(platform)} allows ${most}: this text counts ${formatted(count)}`;
	return {
		characters: `${formatted(count)} of ${most}`,
		...(count > limit ? { warning: `${said}, ${formatted(count - limit)} too many` } : {}),
	};
}

/** Where in a text the network's feed hides the rest, never within a character; undefined where it shows all of it. */
export const foldOf = (platform: string, text: string): number | undefined =>
	[...graphemes.segment(text.slice(0, MAX_SEGMENTED))][networkOf(platform)?.fold?.after ?? Infinity]?.index;

/** Why a network is known to refuse a post's files, or a post without any; of what isn't known, nothing. */
export function mediaWarnings(platform: string, files: readonly FileFacts[]): string[] {
	const { needs, count, files: limits = [] } = networkOf(platform) ?? {};
	const title = titleOf(platform);
	if (needs && files.length === 0) return [`${title} posts need ${needs.media}: this one has none`];
	const tooMany =
		count &&
		files.length > count.most &&
		`${title} takes ${count.most} file${count.most === 1 ? '' : 's'}: this post has ${files.length}`;
	const ofFiles = files.flatMap(({ name: given, contentType, sizeBytes = 0, proportions }) => {
		// The query of a signed URL is a secret.
		const name = URL.canParse(given) ? withoutQuery(given) : given;
		const type = mediaType(contentType, name);
		const limit = limits.find(({ of }) => type.startsWith(of));
		if (!limit) {
			const isUnknown = isVague(typeOf(type)) || limits.length === 0;
			return isUnknown ? [] : [`${title} takes no such files: '${name}' is ${type}`];
		}
		const { of, types, maxBytes = Infinity, proportions: allowed } = limit;
		const shape = Number(proportions?.toFixed(2));
		const isOtherShape = allowed && (shape < allowed.least || shape > allowed.most);
		const kind =
			of === 'image/gif' ? 'GIFs' : of.startsWith('application') ? 'documents' : `${of.slice(0, -1)}s`;
		const isOtherType = types && !types.some((one) => type === `${of}${one}`);
		const [size, most] = [sizeBytes, maxBytes].map(sizeInWords);
		return filled([
			isOtherType && `${title} takes ${types.join(', ') || 'no'} ${kind}: '${name}' is ${type}`,
			isOtherShape && `${title} takes ${kind} from ${allowed.words}: '${name}' is ${shape}:1`,
			sizeBytes > maxBytes && `${title} takes ${kind} of up to ${most}: '${name}' has ${size}`,
		]);
	});
	return filled([tooMany, ...ofFiles]);
}

/** Rounded up, so that a file that is too large by a little looks so. */
export const sizeInWords = (bytes: number): string => `${formatted(Math.ceil((bytes / MB) * 10) / 10)} MB`;
