import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';

import { Connection } from './connection';
import { notSeen, probeReads, rows, type Verdicts } from './reads';
import { probeWrites } from './writes';

const HELP = `npm run probe -- --url https://… [options]

Asks a real service what it does where the specification says "not shown". Writes nothing unless told to.

  --url URL          address of the service
  --key KEY          API key; better in the environment, as SOCIAL_PUBLISHING_API_KEY
  --workspace ID
  --api-path PATH    /api/public/v1 (default) or /v1
  --write            also creates and deletes a subscription and uploads an image of one pixel, which stays
  --post-to ACCOUNT  with --write, after a typed yes: schedules a post a year ahead and cancels it
  --json             for an issue: no names, texts, IDs or keys`;

export function report(said: Verdicts, asJson = false): string {
	const all = rows.map((row) => ({ ...row, ...(said.get(row.number) ?? notSeen('')) }));
	if (asJson)
		return JSON.stringify(
			all.map(({ number, verdict, what }) => ({ row: number, verdict, what })),
			null,
			2,
		);
	const lines = all.map(({ number, title, verdict, what }) => {
		const short = title.length > 76 ? `${title.slice(0, 75)}…` : title;
		return `${number.padStart(3)}  ${verdict.padEnd(10)}  ${short}${what && `\n${' '.repeat(17)}> ${what}`}`;
	});
	const count = (verdict: string): number => all.filter((one) => one.verdict === verdict).length;
	const sum = ['as assumed', 'differs', 'not seen'].map((verdict) => `${count(verdict)} ${verdict}`);
	return [...lines, '', sum.join(', ')].join('\n');
}

async function main(): Promise<void> {
	const text = { type: 'string' } as const;
	const flag = { type: 'boolean', default: false } as const;
	const { values } = parseArgs({
		options: {
			...{ url: text, key: text, workspace: text, 'api-path': text, 'post-to': text },
			...{ write: flag, json: flag, help: flag },
		},
	});
	const { url, key = process.env.SOCIAL_PUBLISHING_API_KEY, workspace, write, json } = values;
	if (values.help || !url || !key || (values['post-to'] && !write)) {
		console.log(HELP);
		process.exitCode = values.help ? 0 : 2;
		return;
	}
	const service = new Connection({ url, key, workspace, apiPath: values['api-path'] });
	// With --json, only the JSON goes to the standard output.
	const say = (line: string): void => console.error(service.withoutKey(line));
	const stop = new AbortController();
	const onStop = (): void => {
		if (!stop.signal.aborted) say('\nStopping; what was begun is taken back first.');
		stop.abort();
	};
	const said = await probeReads(service);
	if (write) {
		process.on('SIGINT', onStop).on('SIGTERM', onStop);
		const ask = async (question: string): Promise<string> => {
			const terminal = createInterface({ input: process.stdin, output: process.stderr });
			terminal.on('SIGINT', onStop);
			// The end of the input is no yes.
			const closed = new Promise<string>((done) => terminal.once('close', () => done('')));
			const typed = terminal.question(question, { signal: stop.signal }).catch(() => '');
			return await Promise.race([typed, closed]).finally(() => terminal.close());
		};
		const left = await probeWrites(service, said, { say, ask, signal: stop.signal }, values['post-to']);
		for (const one of left) say(`LEFT BEHIND, please remove it: ${one}`);
		if (left.length > 0) process.exitCode = 1;
	}
	console.log(service.withoutKey(report(said, json)));
	process.off('SIGINT', onStop).off('SIGTERM', onStop);
}

if (require.main === module)
	main().catch((error: unknown) => {
		// The message may quote what was typed, such as the key.
		const typed = [...process.argv.slice(2), process.env.SOCIAL_PUBLISHING_API_KEY ?? ''].filter(
			(one) => one.length > 3 && !one.startsWith('--'),
		);
		const message = error instanceof Error ? error.message : 'The probe failed.';
		console.error(typed.reduce((line, one) => line.split(one).join('…'), message));
		process.exitCode = 1;
	});
