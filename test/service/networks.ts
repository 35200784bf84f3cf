import type { Media, Platform, Post } from './types';

/** Longest text of a post, in characters. */
export const MAX_CHARACTERS: Record<Platform, number> = {
	instagram: 2_200,
	tiktok: 2_200,
	youtube: 5_000,
	x: 280,
	linkedin: 3_000,
	facebook: 63_206,
	bluesky: 300,
};

/** Content types of which a post needs one. */
const NEEDED: Partial<Record<Platform, [what: string, type: RegExp]>> = {
	instagram: ['an image or a video', /^(image|video)\//],
	tiktok: ['an image or a video', /^(image|video)\//],
	youtube: ['a video', /^video\//],
};

/** Why the network refuses the post, as the API learns at publication; empty where it takes it. */
export function refusalOf(platform: Platform, { text, media }: Post, known: Map<string, Media>): string {
	// A link counts 23 on X, whatever its length.
	const counted = platform === 'x' ? text.replace(/https?:\/\/\S+/g, '-'.repeat(23)) : text;
	const [length, max] = [[...counted].length, MAX_CHARACTERS[platform]];
	if (length > max) return `The text has ${length} of ${max} characters.`;
	const [what, type] = NEEDED[platform] ?? [];
	const isThere = media.some((url) => type?.test(known.get(url)?.contentType ?? ''));
	return type && !isThere ? `The post needs ${what}.` : '';
}
