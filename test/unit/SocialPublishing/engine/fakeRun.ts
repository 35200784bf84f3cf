import type { IDataObject } from 'n8n-workflow';

import { refusal } from '../../../../nodes/api/failure';
import type { Run } from '../../../../nodes/SocialPublishing/engine/run';
import type { Sent } from '../../../../nodes/SocialPublishing/writes/journal';
import type { Write } from '../../../../nodes/SocialPublishing/writes/write';

export interface GivenRun {
	/** Parameters of each row. */
	rows?: IDataObject[];
	parameters?: IDataObject;
	continueOnFail?: boolean;
	/** The row for which the credential is another one. */
	otherCredential?: number;
	/** What earlier tries sent. */
	sent?: Array<Partial<Sent>>;
	/** By hand: the row that may be one of those. */
	unclear?: number;
	/** Of a row that came back from the error output: which one is the first failure of the same row. */
	firstOf?: Record<number, number>;
	/** What the service answers. */
	data?: unknown;
	/** Whether it has more than that. */
	hasMore?: boolean;
	isUnclear?: boolean;
	mayBePage?: boolean;
}

/** n8n's context of a node with these parameters for each row. */
export const fakeN8n = (rows: IDataObject[], more: object = {}) => ({
	continueOnFail: () => false,
	getContext: () => ({}),
	getCredentials: async () => ({ baseUrl: 'https://a.example', apiKey: 'secret-key' }),
	getExecutionCancelSignal: () => undefined,
	getExecutionContext: jest.fn(),
	getExecutionId: () => '1',
	getInputData: () => rows.map((json) => ({ json })),
	getInstanceId: () => 'instance',
	getMode: () => 'trigger',
	getNode: () => ({ id: 'node', name: 'Node', type: 'socialPublishing', parameters: {} }),
	getNodeParameter: (name: string, index: number, missing: unknown) => rows[index]?.[name] ?? missing,
	getTimezone: () => 'Europe/Berlin',
	getWorkflow: () => ({ id: 'workflow' }),
	getWorkflowDataProxy: () => ({ $runIndex: 2 }),
	...more,
});

/** A run whose requests are noted and answered at once. */
export function fakeRun({ rows = [], sent = [], data = { id: 'a' }, ...given }: GivenRun = {}) {
	const asked: Array<[request: any, budget: unknown]> = [];
	const written: any[] = [];
	const hinted: unknown[][] = [];
	const run = {
		now: 7,
		shared: new Map(),
		aborted: new AbortController(),
		refuseOtherCredential: async (index: number) => {
			if (index === given.otherCredential) throw refusal('CREDENTIAL_DIFFERS', 'no', '');
		},
		n8n: fakeN8n(rows, {
			continueOnFail: () => given.continueOnFail ?? false,
			getNode: () => ({ name: 'Node', type: 'socialPublishing', parameters: given.parameters ?? {} }),
		}),
		client: {
			address: { apiUrl: 'https://a', postFormat: 'quickStart', workspaceId: 'ws_own' },
			send: async (request: object, budget: unknown) => {
				asked.push([request, budget]);
				return { data, headers: {} };
			},
			list: async (request: object, budget: unknown) => {
				asked.push([request, budget]);
				const { hasMore = false, isUnclear, mayBePage } = given;
				return { records: data, hasMore, isUnclear, mayBePage, isComplete: true };
			},
		},
		writer: {
			send: async (_item: object, write: IDataObject) => {
				written.push(write);
				return { body: write.body, response: data };
			},
			preview: (_item: object, { path, body }: IDataObject) => ({ preview: true, path, body }),
			refuseUnsendable: (_item: object, { finish, body }: Write) => sent.length > 0 || finish?.(body!),
			recognize: (rows: Array<{ item: { index: number } }>) =>
				rows.flatMap(({ item: { index } }) => (index === given.unclear ? [{ index, sent }] : [])),
			sent: (round: string) => (round === 'all' ? sent : []),
			ofRow: (index: number) => ({ sent: index === 0 ? sent : [] }),
			firstOfRow: (index: number) => given.firstOf?.[index] ?? index,
		},
		report: {
			hint: (...said: unknown[]) => hinted.push(said),
			rowUnclear: (all: unknown[]) => refusal('RERUN_UNCLEAR', `one of ${all.length}`, ''),
		},
		uploadLimit: async (task: () => unknown) => await task(),
	} as unknown as Run;
	return { run, asked, written, hinted };
}
