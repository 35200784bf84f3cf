import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import {
	commonOptions,
	concurrency,
	postAndPatchOptions,
	writeOptions,
	type CommonOptions,
} from '../../../../nodes/SocialPublishing/engine/options';
import { optionsOf } from '../../../../nodes/SocialPublishing/engine/properties';
import type { KeyMode } from '../../../../nodes/SocialPublishing/writes/key';
import { resources } from '../../../../nodes/SocialPublishing/resources';

const namesOf = (options: readonly unknown[] = []) =>
	(options as Array<{ name: string }>).map(({ name }) => name);

test('are those that operations may count on', () => {
	const all: Record<keyof CommonOptions, true> = {
		previewOnly: true,
		idempotencyKeyMode: true,
		idempotencyKey: true,
		workspaceId: true,
		maxRetryWait: true,
		concurrency: true,
		additionalFields: true,
	};
	expect(namesOf([...writeOptions, ...commonOptions, concurrency, ...postAndPatchOptions])).toEqual(
		Object.keys(all),
	);
	const modes: Record<KeyMode, true> = { execution: true, content: true, custom: true };
	const choices = writeOptions[1]!.options as INodePropertyOptions[];
	expect(choices.map(({ value }) => value)).toEqual(Object.keys(modes));
});

test.each(
	resources.flatMap(({ value, operations }) => operations.map((one) => [value, one.value, one] as const)),
)('%s.%s has its own and those that its method brings, by name', (_resource, _operation, operation) => {
	const { method, parallel, options } = operation;
	const entries = optionsOf(operation).options as INodeProperties[];
	expect(namesOf(entries).sort()).toEqual(
		[
			...namesOf(options),
			...namesOf(method === 'GET' ? [] : writeOptions),
			...namesOf(commonOptions),
			...(parallel ? ['concurrency'] : []),
			...(/^(POST|PATCH)$/.test(method) ? ['additionalFields'] : []),
		].sort(),
	);
	const labels = entries.map(({ displayName }) => displayName);
	expect(labels).toEqual([...labels].sort());
});
