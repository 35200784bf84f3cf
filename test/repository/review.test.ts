import type { INodeProperties, INodePropertyMode, INodePropertyOptions } from 'n8n-workflow';
import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { SocialPublishing } from '../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingTrigger } from '../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';

/**
 * What n8n's reviewers look for beyond the published linter: rules of `@n8n/eslint-plugin-community-nodes` in n8n's
 * repository that version 0.32.0 does not have. The linter reads literals in the class, these tests what the class makes.
 */

const fields = {
	action: new SocialPublishing().description.properties,
	trigger: new SocialPublishingTrigger().description.properties,
	credential: new SocialPublishingApi().properties,
};

type Inner = INodeProperties | INodePropertyMode;

/** Fields with those inside of collections, and the modes of locators. */
const withInner = (list: readonly Inner[]): Inner[] =>
	list.flatMap((field) => {
		const { modes = [], options = [] } = field as Partial<INodeProperties>;
		const inner = options.flatMap((one) => ('values' in one ? one.values : 'type' in one ? [one] : []));
		return [field, ...modes, ...withInner(inner)];
	});

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
		const dropdowns = all.filter(({ type }) => type === 'options' || type === 'multiOptions');
		for (const { name, options = [] } of dropdowns as INodeProperties[]) {
			const names = (options as INodePropertyOptions[]).map((option) => option.name);
			expect([name, new Set(names).size]).toEqual([name, names.length]);
			expect(names.filter((one) => one.includes('*'))).toEqual([]);
		}
	});
});

/** Optional fields beside the required ones, each with its reason (non-required-fields-in-collection). */
const besideRequired: Record<string, string> = {
	returnAll: "n8n's own, with its fixed text",
	limit: "n8n's own, with its fixed text",
	simplify: "n8n's own place for it",
	output: 'decides what comes out: named by the UX guidelines',
	text: 'needed unless the post has media',
	delayAmount: 'what After a Delay needs',
	scheduledAt: 'what At a Time needs; checked when the node runs, since an expression may choose the way',
	slotTimes: 'the same for Next Free Slot',
	binaryFields: 'the same for files',
	mediaUrls: 'the same for files',
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
