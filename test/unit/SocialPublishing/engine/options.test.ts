import type { INodePropertyOptions } from 'n8n-workflow';

import {
	commonOptions,
	concurrency,
	postAndPatchOptions,
	writeOptions,
	type CommonOptions,
} from '../../../../nodes/SocialPublishing/engine/options';
import type { KeyMode } from '../../../../nodes/SocialPublishing/writes/key';

/** Which operation has which: `properties.test.ts`. */

test('are those that operations may count on', () => {
	const all: Record<keyof CommonOptions, true> = {
		...{ previewOnly: true, idempotencyKeyMode: true, idempotencyKey: true, workspaceId: true },
		...{ maxRetryWait: true, concurrency: true, additionalFields: true },
	};
	const options = [...writeOptions, ...commonOptions, concurrency, ...postAndPatchOptions];
	expect(options.map(({ name }) => name)).toEqual(Object.keys(all));
	const modes: Record<KeyMode, true> = { execution: true, content: true, custom: true };
	const choices = writeOptions[1]!.options as INodePropertyOptions[];
	expect(choices.map(({ value }) => value)).toEqual(Object.keys(modes));
});
