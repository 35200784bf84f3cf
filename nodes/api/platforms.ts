import type { Platform } from './contract';

/** Platforms' names as people write them. */
export const titles: Readonly<Record<Platform, string>> = {
	instagram: 'Instagram',
	tiktok: 'TikTok',
	youtube: 'YouTube',
	x: 'X',
	linkedin: 'LinkedIn',
	facebook: 'Facebook',
	bluesky: 'Bluesky',
};

/** The name of a platform, or of several separated by commas, as people write it. */
export const titleOf = (names: string): string =>
	names.replace(/\w+/g, (name) => (Object.hasOwn(titles, name) ? titles[name as Platform] : name));

/** A platform's name as posts know it; analytics know `x` as `twitter` (spec, "What the service does"). */
export function canonicalPlatform(name: string): string {
	const platform = name.trim().toLowerCase();
	return platform === 'twitter' ? 'x' : platform;
}

/** Platforms as the analytics endpoints take them: each once, comma-separated. */
export const analyticsPlatforms = (names: string[]): string =>
	[...new Set(names.map(canonicalPlatform))].map((name) => (name === 'x' ? 'twitter' : name)).join(',');
