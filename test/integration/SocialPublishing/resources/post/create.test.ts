import type { IDataObject } from 'n8n-workflow';

import { runTool } from '../../../../support/engine';
import { asked, continuesOnFail, createPost, credentialOf, usePosting } from '../../../../support/service';

/** *Post: Create* in the real engine against the embedded service: which lists it reads. */

const { service, create, refuse } = usePosting();

describe('lists are read once a run', () => {
	const rows = Array.from({ length: 10 }, (_, n) => ({ text: `Row ${n}` }));
	const queued = {
		when: 'nextSlot',
		slotDays: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
		slotTimes: '09:00',
	};

	test('also where they fail', async () => {
		refuse({ method: 'GET', times: 0 });
		const { json } = await create({ text: '={{ $json.text }}', ...queued }, rows, continuesOnFail);
		expect(json.every(({ error }) => error)).toBe(true);
		expect(asked(service(), 'GET').map(({ path }) => path.split('/').pop())).toEqual(['accounts', 'posts']);
	});

	const call = (more: IDataObject, runIndex: number) => ({
		parameters: createPost({ ...queued, ...more }),
		runIndex,
	});

	test('a tool that repeats itself gets its first answer, also where no slot can be found any more', async () => {
		const contextData = {};
		const [first] = await runTool({ credential: credentialOf(service()), contextData, calls: [call({}, 0)] });
		refuse({ method: 'GET', path: 'posts', times: 0 });
		const [again, now] = await runTool({
			credential: credentialOf(service()),
			contextData,
			calls: [call({}, 1), call({ when: 'now' }, 2)],
		});
		expect(again[0].id).toBe(first[0].id);
		expect(now[0].id).not.toBe(first[0].id);
	});
});
