import { freeTime, goOn, stopTime, through } from './time';
import { isEmpty, mapKeys, omit, omitBy, pick } from 'lodash';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { writeFileSync } from 'node:fs';
import { request as send } from 'node:http';
import { join } from 'node:path';

import { type Service, startService } from '../service';
import { runNode, runTool, type RunResult } from '../support/engine';
import { bytes, startFiles, type FileServer } from '../support/fileServer';
import { load, loader } from '../support/package';
import { contextOf, credentialOf } from '../support/service';
import { signatureOf } from '../support/signing';
import { Instance } from '../support/triggerContexts';
import { type Delivery, type Run, runs, type Step, type TriggerRun, triggerRuns } from './runs';
import { parametersOf, translate } from './surface';

/** `npx tsx test/ledger/record.ts [out.json] [part of a name]` records the runs with the built package. */

type Recorded = Record<string, unknown>;

const PNG = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);

async function startFileServer(): Promise<FileServer> {
	const files = await startFiles();
	files.on('/a.png', bytes(PNG));
	files.on('/b.png', bytes(PNG));
	files.on(
		'/video.mp4',
		bytes(Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42'), Buffer.alloc(64)]), 'video/mp4'),
	);
	files.on('/no-length.png', bytes(PNG, 'image/png', { length: false }));
	files.on('/page.html', bytes(Buffer.from('<!doctype html><html><body>Sign in</body></html>'), 'text/html'));
	files.on('/data.json', bytes(Buffer.from('{"error":"expired"}'), 'application/json'));
	files.on('/page-as.png', bytes(Buffer.from('<!doctype html><html><body>Sign in</body></html>')));
	files.on('/moved.png', (_request, response) => response.writeHead(302, { location: '/a.png' }).end());
	return files;
}

/** Puts the addresses of this run where the table has `{service}` and `{files}`. */
const placed = <T>(value: T, service: Service, files: FileServer): T =>
	JSON.parse(JSON.stringify(value).replaceAll('{service}', service.url).replaceAll('{files}', files.url));

/** The requests since `from`, with what matters of their headers. */
const requestsOf = ({ requests }: Service, from: number): Recorded[] =>
	requests.slice(from).map(({ method, path, query, headers, body, status, file }) => {
		const type = headers['content-type'];
		return omitBy(
			{
				request: `${method} ${path.replace(/^\/(api\/public\/)?v1/, '')}`,
				query,
				workspace: headers['x-service-workspace-id'],
				key: headers['idempotency-key'],
				type: type === 'application/json' ? undefined : String(type ?? '').replace(/;.*/, ''),
				length: method === 'PUT' ? headers['content-length'] : undefined,
				body,
				file,
				status,
			},
			(value) => value === undefined || value === '' || (typeof value === 'object' && isEmpty(value)),
		);
	});

const errorOf = (error: any): Recorded | undefined =>
	error && {
		...pick(error, ['name', 'message', 'description', 'httpCode']),
		...pick(error.context, ['itemIndex', 'data']),
	};

const itemOf = ({ json, binary, pairedItem }: INodeExecutionData): Recorded => ({
	from: typeof pairedItem === 'object' && !Array.isArray(pairedItem) ? pairedItem.item : pairedItem,
	json,
	...(binary ? { binary: mapKeys(binary, (_file, name) => name) && Object.keys(binary) } : {}),
});

const hintsOf = ({ hints }: RunResult): string[] =>
	hints.map(({ message, type = 'info' }: IDataObject) => `${String(type)}: ${String(message)}`);

async function recordRun(run: Run, known: Set<string>): Promise<Recorded[]> {
	const service = await startService({ inlineDelaysMs: [0] });
	const files = await startFileServer();
	run.seed?.(service);
	const happened = () =>
		service.requests.length +
		service.requests.filter(({ status }) => status > 0).length +
		files.requests.length;
	const steps: Recorded[] = [];
	let last: RunResult | undefined;
	let executionId = 0;
	let round = 0;
	for (const step of [run, ...(run.then ?? [])] as Array<Run & Step>) {
		const { how = 'again' } = step;
		if (how !== 'loop') executionId++;
		round = how === 'loop' ? round + 1 : 0;
		step.between?.(service);
		for (const fault of step.faults ?? []) service.faults.add(fault);
		const before = service.requests.length;
		const filesBefore = files.requests.length;
		const [resource, operation] = run.op.split(':');
		const own = placed({ ...run.params, ...step.params }, service, files);
		const options = { ...(run.params?.options as object), ...(step.params?.options as object) };
		const withOptions = isEmpty(options) ? own : { ...own, options: placed(options, service, files) };
		const filledIn = (more: IDataObject) => ({
			resource,
			operation,
			...translate({ ...withOptions, ...more }, known),
		});
		const credential = credentialOf(service, { ...run.credential, ...step.credential });
		let { items = run.items ?? [{ json: {} }] } = step;
		if (step.comesBack) items = [...(last?.outputs[1] ?? last?.items ?? []), ...(step.items ?? [])];
		const isRetry = how === 'retry' || how === 'loop';
		const common = {
			credential,
			executionId: String(executionId),
			...(isRetry && last ? { contextData: contextOf(last) } : {}),
			resumeToken: isRetry || how === 'call' ? 'token' : `token-${executionId}`,
		};
		if (executionId === 1) common.resumeToken = 'token';
		let recorded: Recorded;
		if (run.calls) {
			const calls = run.calls.map((call, runIndex) => ({
				parameters: filledIn(placed(call, service, files)) as IDataObject,
				runIndex,
			}));
			const results = await through(runTool({ ...common, calls }), happened);
			recorded = {
				calls: results.map((one) => (Array.isArray(one) ? { items: one } : { error: errorOf(one) })),
			};
		} else {
			last = await through(
				runNode({
					...common,
					parameters: filledIn({}) as IDataObject,
					items: placed(items, service, files),
					node: { ...run.node, ...step.node },
					mode: step.mode ?? run.mode ?? (how === 'retry' ? 'retry' : 'trigger'),
					runIndex: round,
					...(run.timezone ? { timezone: run.timezone } : {}),
					...(run.isSubWorkflow ? { callersToken: 'caller' } : {}),
				}),
				happened,
			);
			const [first = [], second = []] = last.outputs;
			recorded = {
				items: first.map(itemOf),
				...(second.length > 0 ? { errorOutput: second.map(itemOf) } : {}),
				error: errorOf(last.error),
				hints: hintsOf(last),
			};
		}
		const downloads = files.requests.slice(filesBefore).map(({ method, url }) => `${method} ${url}`);
		steps.push({
			...recorded,
			requests: requestsOf(service, before),
			...(downloads.length > 0 ? { downloads } : {}),
		});
		service.faults.clear();
	}
	await Promise.all([service.close(), files.close()]);
	return steps;
}

/** A delivery as the service sends it, or a spoiled one; the answer. */
async function deliver(n8n: Instance, service: Service, delivery: Delivery): Promise<Recorded> {
	const { as = 'genuine', event = {}, raw, headers = {} } = delivery;
	const whole = {
		...{ id: 'evt_ledger1', type: 'post.published', occurred_at: '2026-11-20T08:59:59Z' },
		...{ workspace_id: 'ws_main', brand_id: 'brand_main', data: { post_id: 'post_1', status: 'completed' } },
		...event,
	};
	const body = Buffer.from(raw ?? JSON.stringify(whole));
	const shift = { stale: -301_000, future: 301_000, nearlyStale: -299_000 }[as as string] ?? 0;
	const timestamp = as === 'malformedTimestamp' ? 'yesterday' : new Date(Date.now() + shift).toISOString();
	const webhook = [...service.store.webhooks.values()].find(({ url }) => url === n8n.url);
	const secret = as === 'wrongSecret' ? 'another' : (delivery.secret ?? webhook?.secret ?? 'none');
	const signed: Record<string, string> = {
		'x-service-signature': as === 'malformedSignature' ? 'sha256=zz' : signatureOf(secret, timestamp, body),
		'x-service-timestamp': timestamp,
	};
	if (as === 'noSignature') delete signed['x-service-signature'];
	if (as === 'noTimestamp') delete signed['x-service-timestamp'];
	return await new Promise((done, fail) => {
		const request = send(n8n.url, {
			method: 'POST',
			agent: false,
			headers: { 'content-type': 'application/json', ...signed, ...headers },
		});
		request.on('error', fail).on('response', (response) => {
			let text = '';
			response.on('data', (chunk: Buffer) => (text += String(chunk)));
			response.on('end', () =>
				done({ status: response.statusCode, body: text, ...pick(response.headers, ['retry-after']) }),
			);
		});
		request.end(as === 'tampered' ? Buffer.from(body.toString().replace('completed', 'complete!')) : body);
	});
}

async function recordTrigger(run: TriggerRun): Promise<Recorded[]> {
	const service = await startService({ inlineDelaysMs: [0] });
	run.seed?.(service);
	const n8n = await Instance.start({ credential: { ...credentialOf(service), ...run.credential } });
	Object.assign(n8n.parameters, run.params);
	const happened = () =>
		service.requests.length +
		service.requests.filter(({ status }) => status > 0).length +
		n8n.received +
		n8n.executions.length;
	const steps: Recorded[] = [];
	for (const step of run.steps) {
		const before = {
			requests: service.requests.length,
			behind: n8n.behind.length,
			logged: n8n.logged.length,
		};
		let result: unknown;
		for (const fault of step.faults ?? []) service.faults.add(fault);
		step.between?.(service);
		if (step.params) n8n.parameters = { ...n8n.parameters, ...step.params };
		const act = async (): Promise<unknown> => {
			switch (step.do) {
				case 'publish':
					await n8n.publish();
					return await n8n.startTrigger();
				case 'unpublish':
					return await n8n.unpublish();
				case 'checkExists':
					return await n8n.hook('checkExists');
				case 'check':
					return await n8n.tick();
				case 'restart':
					n8n.forget();
					await n8n.publish();
					return await n8n.startTrigger();
				case 'deliver':
					return await deliver(n8n, service, step.delivery ?? {});
				case 'deliverTogether':
					return await Promise.all([1, 2].map(async () => await deliver(n8n, service, step.delivery ?? {})));
				case 'lose': {
					// The service delivers it, and n8n can't store the execution, until the next check.
					n8n.answerWith = 500;
					const event = { type: 'post.published', workspaceId: 'ws_main', brandId: 'brand_main' };
					service.deliveries.emit({
						...event,
						data: { post_id: 'post_1' },
						resource: 'post_1',
						...step.event,
					});
					return await service.deliveries.idle();
				}
				default:
					return undefined;
			}
		};
		if (step.do === 'check') {
			await goOn(16 * 60_000, happened);
			n8n.answerWith = 200;
		}
		let error: Recorded | undefined;
		try {
			result = await through(
				act().then(async (value) => {
					await n8n.idle();
					return value;
				}),
				happened,
			);
		} catch (failure) {
			error = errorOf(failure);
		}
		const webhooks = [...service.store.webhooks.values()].map(
			({ id, workspaceId, url, events, description, status }) => ({
				id,
				workspaceId,
				url,
				events,
				description,
				status,
			}),
		);
		steps.push({
			do: step.do,
			...(result === undefined ? {} : { answer: result }),
			emitted: n8n.behind.slice(before.behind),
			error,
			logged: n8n.logged
				.slice(before.logged)
				.filter(({ level }) => level !== 'debug')
				.map(({ level, message }) => `${level}: ${message}`),
			requests: requestsOf(service, before.requests),
			webhooks,
		});
		service.faults.clear();
	}
	await n8n.stop();
	await service.close();
	return steps;
}

/** Names of what differs between two recordings: by their first appearance. */
function normalized(steps: Recorded[]): Recorded[] {
	const labels = new Map<string, string>();
	const counts: Record<string, number> = {};
	const label = (kind: string, value: string): string => {
		if (!labels.has(value)) labels.set(value, `${kind}${(counts[kind] = (counts[kind] ?? 0) + 1)}`);
		return labels.get(value)!;
	};
	for (const { requests } of steps as Array<{ requests: Recorded[] }>)
		for (const { key } of requests) if (key) label('key', String(key));
	const keys = [...labels.keys()].sort((a, b) => b.length - a.length);
	const replaced = (text: string): string => {
		let out = text;
		for (const key of keys) out = out.replaceAll(key, labels.get(key)!);
		return out
			.replace(/([a-zA-Z])\1{99,}/g, (all, letter: string) => `<${letter}×${all.length}>`)
			.replace(/http:\/\/127\.0\.0\.1:\d+\/webhook\/hook-\d+-\d+\/webhook/g, '<trigger>')
			.replace(
				/\b(instagram|tiktok|youtube|x|linkedin|facebook|bluesky)_(\d{12,20})\b/g,
				(_all, name: string, id: string) => `${name}_${label('provider', id)}`,
			)
			.replace(
				/\b(post|batch|apr|rep|inb|conv|med|wh|evt|dlv|req)_([0-9a-f]{18}|[0-9a-f]{8}[0-9a-z]{7}|[0-9a-f-]{36})\b/g,
				(_all, kind: string, id: string) => label(kind, id),
			)
			.replace(/127\.0\.0\.1:\d+/g, (host) => label('host', host))
			.replace(/\bwhsec_\w+|\bsha256=[0-9a-f]{64}/g, (secret) => label('secret', secret))
			.replace(/signature=[0-9a-f]{64}/g, 'signature=<signature>')
			.replace(/"row_id":"[^"]*"/g, '"row_id":"<row>"')
			.replace(
				/"(created_at|updated_at|published_at|expires_at|delivered_at|connected_at|next_attempt_at|expires)":"[^"]*"/g,
				'"$1":"<time>"',
			)
			.replace(/"signature":"[0-9a-f]{64}"/g, '"signature":"<signature>"')
			.replace(
				/"secret":"([0-9a-f]{64})"/g,
				(_all, secret: string) => `"secret":"${label('secret', secret)}"`,
			)
			.replace(/expires=\d+/g, 'expires=<time>')
			.replace(/"request_id":"[^"]*"/g, '"request_id":"<request>"');
	};
	// Output first: its order is fixed, that of requests at the same time need not be.
	for (const step of steps) replaced(JSON.stringify(omit(step, 'requests')));
	return steps.map((step) => JSON.parse(replaced(JSON.stringify(step))) as Recorded);
}

/** One run a paragraph, one request, item or hint a line. */
export function written(all: Record<string, Recorded[]>): string {
	const lines = Object.entries(all).map(([name, steps]) => {
		const told = steps.map((step) =>
			Object.entries(step)
				.filter(([, value]) => value !== undefined && !(Array.isArray(value) && isEmpty(value)))
				.map(([field, value]) =>
					Array.isArray(value)
						? `  ${JSON.stringify(field)}: [\n${value.map((one) => `   ${JSON.stringify(one)}`).join(',\n')}]`
						: `  ${JSON.stringify(field)}: ${JSON.stringify(value)}`,
				)
				.join(',\n'),
		);
		return ` ${JSON.stringify(name)}: [{\n${told.join('\n }, {\n')}\n }]`;
	});
	return `{\n${lines.join(',\n')}\n}\n`;
}

export async function record(part = ''): Promise<Record<string, Recorded[]>> {
	await load();
	const known = parametersOf(loader.nodeTypes.socialPublishing.type.description.properties);
	const has = (name: string) => [...known].some((one) => one.startsWith(`${name}: `));
	const all: Record<string, Recorded[]> = {};
	const add = async (name: string, of: () => Promise<Recorded[]>) => {
		if (name in all) throw new Error(`Two runs are called '${name}'`);
		if (!name.includes(part)) return;
		stopTime();
		const begun = process.hrtime.bigint();
		try {
			all[name] = normalized(await of());
		} catch (error) {
			all[name] = [{ n8n: String(error) }];
			console.error(name, error);
		} finally {
			freeTime();
		}
		const ms = Number(process.hrtime.bigint() - begun) / 1e6;
		if (process.env.TIMES) console.error(`${Math.round(ms)} ms  ${name}`);
	};
	for (const run of runs)
		if (!run.goes || has(run.goes))
			await add(`${run.op}: ${run.name}`, async () => await recordRun(run, known));
	for (const run of triggerRuns) await add(`trigger: ${run.name}`, async () => await recordTrigger(run));
	console.error(`${Object.keys(all).length} runs`);
	return all;
}

if (require.main === module) {
	const [out = join(__dirname, 'ledger.json'), part] = process.argv.slice(2);
	void record(part).then((all) => {
		writeFileSync(out, written(all));
		process.exit(0);
	});
}
