import { randomBytes } from 'node:crypto';

import type { IDataObject, INode } from 'n8n-workflow';

import type { Fault } from '../../../service';
import { inMemory, itemWith } from '../../../support/binaries';
import { startFiles, type FileServer } from '../../../support/fileServer';
import { goOn, stopTime } from '../../../support/virtualTime';
import { asked, createPost, run, type Service, startService } from '../../../support/service';

/**
 * The button that stops an execution. From the moment it is pressed, the time of the node (its timers and clock) goes on
 * for one second and then stands still: a run that ends all the same has ended within that second, however slow the
 * machine is; any other never ends. `npm run soak -- writes` measures the same in a real n8n.
 */
describe('stopping the execution ends within a second', () => {
	let service: Service;
	let files: FileServer;

	beforeAll(async () => {
		files = await startFiles();
	});
	beforeEach(async () => {
		files.requests.length = 0;
		// The service's clock stands still: nothing is published.
		service = await startService({ speed: 0 });
		stopTime();
	});
	afterEach(async () => {
		jest.useRealTimers();
		await service.close();
	});
	afterAll(async () => await files.close());

	const photo = (size = 1000) => [itemWith({ data: inMemory('a.png', 'image/png', randomBytes(size)) })];
	const list = { resource: 'workspace', operation: 'getAll', returnAll: true };
	const upload = { resource: 'media', operation: 'upload', mediaFrom: 'binary', binaryFields: 'data' };
	const fromUrl = (mediaUrls: string) => ({ ...upload, mediaFrom: 'url', mediaUrls });
	const refused = () => asked(service, 'GET').some(({ status }) => status >= 400);
	const met = () => service.requests.some(({ fault }) => fault === 'hang');
	const looked = () => asked(service, 'GET', /\/posts\//).some(({ status }) => status === 200);

	interface Case {
		what: string;
		/** What the service does, again and again. */
		fault?: Fault;
		parameters: IDataObject | (() => IDataObject);
		/** Whether the node is where it is to be stopped. */
		there: () => boolean;
		items?: ReturnType<typeof photo>;
	}
	const cases: Case[] = [
		{
			what: 'a wait for the rate limit',
			fault: { kind: 'error', code: 'PUBLIC_API_RATE_LIMITED', retryAfter: '50' },
			parameters: list,
			there: refused,
		},
		{
			what: 'a pause before the next try',
			fault: { kind: 'status', status: 503, retryAfter: '50' },
			parameters: list,
			there: refused,
		},
		{
			what: 'waitForPublication',
			parameters: createPost({ options: { waitForPublication: true, waitTimeout: 600 } }),
			there: looked,
		},
		{ what: 'a request that runs', fault: { kind: 'hang' }, parameters: list, there: met },
		{
			what: 'an upload that runs',
			fault: { kind: 'hang', path: '^/upload/' },
			parameters: upload,
			there: met,
			items: photo(),
		},
		{
			what: 'a direct upload that runs',
			fault: { kind: 'hang', path: '^/media$' },
			parameters: { ...upload, operation: 'uploadDirect' },
			there: met,
			items: photo(),
		},
		{
			what: 'a source of a file that says nothing',
			parameters: () => fromUrl(files.on('/mute.png', () => undefined)),
			there: () => files.requests.length > 0,
		},
		{
			what: 'a source of a file that goes silent in the middle',
			parameters: () =>
				fromUrl(
					files.on('/half.png', (_request, response) => {
						response.writeHead(200, { 'content-type': 'image/png' }).write('half');
					}),
				),
			there: () => files.requests.length > 0,
		},
	];

	/** Starts the node, lets it get where it is to be stopped, and wait there; the way to stop it. */
	async function started({ fault, parameters: given, there, items }: Case, node: Partial<INode> = {}) {
		if (fault) service.faults.add({ ...fault, times: 0 });
		const parameters = { options: { maxRetryWait: 60 }, ...(typeof given === 'function' ? given() : given) };
		let press = (): void => undefined;
		const stopWhen = new Promise<void>((done) => (press = done));
		let over = false;
		const running = run(service, parameters, { items, node, stopWhen }).finally(() => (over = true));
		while (!there()) await goOn(100);
		for (let second = 0; second < 10; second++) await goOn(1000);
		// At the worst moment: the node has just looked whether it is to stop, and has begun its next sleep.
		await jest.advanceTimersToNextTimerAsync();
		expect(over).toBe(false);
		const sent = service.requests.length;
		const stop = async () => {
			press();
			await stopWhen;
		};
		const ended = async () => {
			const { status } = (await running).run;
			expect(status).toBe('canceled');
			expect(service.requests).toHaveLength(sent);
		};
		return { stop, ended, isOver: () => over };
	}

	test.each(cases)('$what', async (one) => {
		const { stop, ended } = await started(one);
		await stop();
		await goOn(1000);
		await ended();
	});

	test('with Retry On Fail: n8n tries again all the same, and nothing is sent', async () => {
		const node = { retryOnFail: true, maxTries: 5, waitBetweenTries: 1000 };
		const { stop, ended, isOver } = await started(cases[0]!, node);
		await stop();
		while (!isOver()) await goOn(1000);
		await ended();
	});
});
