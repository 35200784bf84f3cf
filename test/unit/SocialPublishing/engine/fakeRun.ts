import type { IDataObject } from 'n8n-workflow';

import type { Run } from '../../../../nodes/SocialPublishing/engine/run';
import type { Sent } from '../../../../nodes/SocialPublishing/writes/write';

export interface GivenRun {
	/** Parameters of each row. */
	rows?: IDataObject[];
	parameters?: IDataObject;
	continueOnFail?: boolean;
	/** What earlier tries sent. */
	sent?: Array<Partial<Sent>>;
	postsSent?: number;
	writer?: object;
	/** What the service answers. */
	data?: unknown;
}

/** A run whose requests are noted and answered at once. */
export function fakeRun({ rows = [], sent = [], data = { id: 'a' }, ...given }: GivenRun = {}) {
	const asked: Array<[request: any, budget: unknown]> = [];
	const written: any[] = [];
	const noted: unknown[][] = [];
	const note =
		(kind: string) =>
		(...said: unknown[]) =>
			noted.push([kind, ...said]);
	const run = {
		now: 7,
		postsSent: given.postsSent ?? 0,
		n8n: {
			continueOnFail: () => given.continueOnFail ?? false,
			getNode: () => ({ name: 'Node', parameters: given.parameters ?? {} }),
			getNodeParameter: (name: string, index: number, missing: unknown) => rows[index]?.[name] ?? missing,
			getTimezone: () => 'Europe/Berlin',
		},
		client: {
			address: { apiUrl: 'https://a', postFormat: 'quickStart', workspaceId: 'ws_own' },
			send: async (request: object, budget: unknown) => {
				asked.push([request, budget]);
				return { data, headers: {} };
			},
		},
		writer: {
			send: async (_item: object, write: IDataObject) => {
				written.push(write);
				return { body: write.body, response: data };
			},
			preview: (_item: object, { path, body }: IDataObject) => ({ preview: true, path, body }),
			known: () => sent[0],
			sent: () => sent,
			sentForItem: () => sent,
			...given.writer,
		},
		report: { warn: note('warn'), warnOfPost: note('warnOfPost'), inform: note('inform') },
		files: {},
		uploadLimit: async (task: () => unknown) => await task(),
		once: async (name: string, workspaceId: string, make: () => Promise<unknown>) => [
			name,
			workspaceId,
			await make(),
		],
		poller: {
			until: async (id: string, options: object, get: (until: number) => Promise<unknown>) => [
				id,
				options,
				await get(9),
			],
		},
	} as unknown as Run;
	return { run, asked, written, noted };
}
