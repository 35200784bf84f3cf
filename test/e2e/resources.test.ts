import type { Operation, Resource } from '../../nodes/SocialPublishing/engine/operation';
import { fieldsOf } from '../../nodes/SocialPublishing/engine/properties';
import { resources } from '../../nodes/SocialPublishing/resources';
import { type Editor, openEditor } from '../n8n/browser';
import { errorOf, itemsOf, poll } from '../n8n/client';
import { requiring } from '../n8n/requires';
import { byId, type FlowNode, manual, sideBySide, socialPublishing } from '../support/e2e/flow';
import { operations } from '../support/operations';
import { addPost, addWebhook, DAY } from '../support/store';
import { sharedN8n, useScene } from './shared';

const locators = ['postId', 'inboxItemId', 'webhookId'];
/** Records of their own for those that change or remove what others read. */
const own: Record<string, Record<string, unknown>> = {
	'post:update': { postId: 'post_to_update' },
	'post:delete': { postId: 'post_to_delete' },
	'post:cancel': { postId: 'post_to_cancel' },
	'post:getAnalytics': { postId: 'post_done' },
	'webhook:delete': { webhookId: 'wh_2' },
};

/** What each operation is given; what is not here is at its default. */
function parametersOf(resource: Resource, { value }: Operation): Record<string, any> {
	const name = `${resource.value}:${value}`;
	const given = Object.entries<any>({ ...operations[name], ...own[name] }).map(([key, one]) => [
		key,
		locators.includes(key) ? byId(one.value ?? one) : one,
	]);
	return { resource: resource.value, operation: value, ...Object.fromEntries(given) };
}

const file: FlowNode[] = [
	{
		name: 'Words',
		type: 'n8n-nodes-base.set',
		typeVersion: 3.4,
		parameters: { mode: 'raw', jsonOutput: '{ "text": "not quite a picture" }', options: {} },
	},
	{
		name: 'File',
		type: 'n8n-nodes-base.convertToFile',
		typeVersion: 1.1,
		parameters: { operation: 'toText', sourceProperty: 'text', options: { fileName: 'photo.png' } },
	},
];

/** Every operation run once from a workflow, one workflow a resource; and what the editor shows of it. */
describe('every operation in a real n8n', () => {
	const scene = useScene({ seed: 'demo' });
	let editor: Editor | undefined;

	beforeEach(() => {
		const { service } = scene;
		for (const id of ['post_1', 'post_to_cancel', 'post_to_delete', 'post_to_update'])
			addPost(service, { id });
		addPost(service, { id: 'post_done', status: 'completed', at: Date.now() - 3 * DAY });
		for (const id of ['wh_1', 'wh_2']) addWebhook(service, id);
	});
	afterAll(async () => await editor?.close());

	/** The start, a file where the resource takes one, and then all operations side by side. */
	const save = async (resource: Resource) =>
		await scene.save(
			sideBySide(
				`All of ${resource.value}`,
				resource.value === 'media' ? [manual, ...file] : [manual],
				resource.operations.map((one) => socialPublishing(parametersOf(resource, one), {}, one.action)),
			),
		);

	test.each(resources.map((resource) => [resource.value, resource] as const))(
		'%s: each operation gives items',
		async (_name, resource) => {
			const run = await scene.n8n.runWorkflow(await save(resource));
			expect(errorOf(run)).toBeUndefined();
			for (const { action, value } of resource.operations) {
				const items = itemsOf(run, action);
				// Nothing was to be delivered yet.
				if (value !== 'getDeliveries') expect({ [action]: items }).not.toEqual({ [action]: [] });
				expect(JSON.stringify(items)).not.toContain(scene.service.keys.full);
			}
		},
	);

	/** The labels that the fields of an operation have with these parameters, and those of the entries that were added. */
	function labelsOf(resource: Resource, operation: Operation): string[] {
		const parameters = parametersOf(resource, operation);
		const all = fieldsOf(operation);
		const valueOf = (name: string) => parameters[name] ?? all.find((field) => field.name === name)?.default;
		const fields = all.filter((field) =>
			Object.entries<any>(field.displayOptions?.show ?? {}).every(([name, values]) =>
				values.includes(valueOf(name)),
			),
		);
		const labels = fields.flatMap(({ displayName, name, type, options = [] }) => {
			const added = type === 'collection' ? (parameters[name] ?? {}) : {};
			const entries = (options as any[]).filter((entry) => entry.name in added);
			return [displayName, ...entries.map((entry) => entry.displayName)];
		});
		return ['Resource', 'Operation', ...labels];
	}

	requiring('browser')(
		'post: each panel in the editor shows the fields of its operation, in order',
		async () => {
			editor = await openEditor(await sharedN8n(), { width: 1500, height: 1000 });
			const post = resources.find(({ value }) => value === 'post')!;
			await editor.openWorkflow(await save(post));
			for (const { hasIssues, name } of await editor.nodes())
				expect({ [name]: hasIssues }).toEqual({ [name]: false });
			for (const operation of post.operations) {
				const { action } = operation;
				const labels = labelsOf(post, operation);
				const panel = await editor.openNode(action);
				const list = panel.locator('[data-test-id="node-parameters"]');
				const shown = async () => {
					const texts = list
						.locator('[data-test-id="input-label"]')
						.filter({ visible: true })
						.allInnerTexts();
					// A label is followed by what else stands in its line.
					return (await texts).map((text) => text.trim().split('\n')[0]!);
				};
				const seen = await poll(`the panel of ${action}`, shown, ({ length }) => length >= labels.length);
				expect({ action, labels: seen }).toEqual({ action, labels });
				await editor.closeNode();
			}
		},
	);
});
