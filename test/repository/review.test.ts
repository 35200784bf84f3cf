import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { INodeProperties } from 'n8n-workflow';
import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { SocialPublishing } from '../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingTrigger } from '../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';

/**
 * What n8n's reviewers look for beyond the published linter: rules of `@n8n/eslint-plugin-community-nodes` in n8n's
 * repository that version 0.32.0 does not have. The linter reads literals in the class, these tests what the class makes.
 */

const root = resolve(__dirname, '../..');
const action = new SocialPublishing();
const trigger = new SocialPublishingTrigger();
const credential = new SocialPublishingApi();
const fields = {
	action: action.description.properties,
	trigger: trigger.description.properties,
	credential: credential.properties,
};

/** Fields with those inside of collections and locators. */
const withInner = (list: readonly INodeProperties[]): INodeProperties[] =>
	list.flatMap((field) => [
		field,
		...withInner((field.modes ?? []) as unknown as INodeProperties[]),
		...(field.type === 'collection' ? withInner((field.options ?? []) as INodeProperties[]) : []),
		...(field.type === 'fixedCollection'
			? withInner((field.options ?? []).flatMap((option) => (option as { values: INodeProperties[] }).values))
			: []),
	]);

describe.each(Object.entries(fields))('fields of the %s', (_, list) => {
	const all = withInner(list);

	test('a hint has at most 120 characters: longer text belongs into the tooltip (hint-max-length)', () => {
		const long = all.filter(({ hint = '' }) => hint.length > 120);
		expect(long.map(({ name }) => name)).toEqual([]);
	});

	test('JSON is asked for in collections only (open-ended-node-fields)', () => {
		const open = list.filter(({ type, required }) => type === 'json' && required !== true);
		expect(open.map(({ name }) => name)).toEqual([]);
	});

	test('options have names of their own, without * (no-duplicate-param-options, no-asterisk-in-option-names)', () => {
		for (const { name, type, options = [] } of all) {
			if (type !== 'options' && type !== 'multiOptions') continue;
			const names = options.map((option) => option.name);
			expect([name, new Set(names).size]).toEqual([name, names.length]);
			expect(names.filter((one) => one.includes('*'))).toEqual([]);
		}
	});
});

/**
 * non-required-fields-in-collection: n8n shows an optional field beside the required ones only where it decides what is
 * done. Each one that is left has its reason here.
 */
const besideRequired: Record<string, string> = {
	returnAll: "n8n's own, with its fixed text",
	limit: "n8n's own, with its fixed text",
	simplify: "n8n's own place for it",
	output: 'decides what comes out: named by the UX guidelines',
	text: 'needed unless the post has media',
	delayAmount: 'what After a Delay needs',
	waitTimeout: 'Wait for Status is about waiting',
	days: 'how far Check Health looks, its only field',
	webhookId: 'what Check Delivery is about',
	description: 'names the webhook in the list of the service, beside its address',
};

test('optional fields are in collections (non-required-fields-in-collection)', () => {
	const containers = ['collection', 'fixedCollection', 'notice', 'callout', 'hidden'];
	const decides = ['options', 'multiOptions', 'boolean'];
	const optional = [...fields.action, ...fields.trigger].filter(
		({ type, name, required }) =>
			!required && !containers.includes(type) && !decides.includes(type) && !(name in besideRequired),
	);
	expect([...new Set(optional.map(({ name }) => name))]).toEqual([]);
});

/** WCAG 2's contrast of two colors, `#rgb` or `#rrggbb`: from 1 to 21. */
function contrast(one: string, other: string): number {
	const luminance = (color: string): number => {
		const hex = color.length === 4 ? color.replace(/[^#]/g, '$&$&') : color;
		const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
			const value = parseInt(hex.slice(at, at + 2), 16) / 255;
			return value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
		});
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	const [bright = 0, dark = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
	return (bright + 0.05) / (dark + 0.05);
}

test('black on white has the highest contrast, a color on itself the lowest', () => {
	expect(contrast('#000', '#ffffff')).toBeCloseTo(21);
	expect(contrast('#4f46e5', '#4f46e5')).toBe(1);
});

test('icons are the same squares for all; they stand out on both themes, with twice the contrast that n8n asks for (icon-contrast)', () => {
	const { light, dark } = credential.icon as { light: string; dark: string };
	for (const { description } of [action, trigger])
		expect(description.icon).toEqual({
			light: light.replace('../', '../../'),
			dark: dark.replace('../', '../../'),
		});
	for (const [icon, background] of [
		[light, '#ffffff'],
		[dark, '#2b2b2b'],
	] as const) {
		const svg = readFileSync(join(root, 'credentials', icon.slice('file:'.length)), 'utf8');
		const [, width, height] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)!;
		expect(width).toBe(height);
		const colors = [...svg.matchAll(/(?:fill|stroke)="(#[0-9a-f]+)"/g)].map(([, color]) => color!);
		expect(Math.max(...colors.map((color) => contrast(color, background)))).toBeGreaterThan(3);
	}
});
