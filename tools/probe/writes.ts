import { setTimeout as sleep } from 'node:timers/promises';
import type { IDataObject } from 'n8n-workflow';

import { pathSegment } from '../../nodes/api/address';
import type { Answer } from '../../nodes/api/answers';
import { toFailure } from '../../nodes/api/failure';
import { uploadUrlNames } from '../../nodes/api/fileTypes';
import { lists } from '../../nodes/api/contract';
import { isRecord } from '../../nodes/api/lists';
import { factOf, readAccount, readPost, readSecret, readSubscription } from '../../nodes/api/records';
import type { Connection } from './connection';
import { judged, notSeen, type Verdicts } from './reads';

export interface Person {
	say(line: string): void;
	ask(question: string): Promise<string>;
	/** Ctrl-C. What was begun is finished and taken back. */
	signal: AbortSignal;
}

/** What could not be taken back, with its ID. */
export type LeftOver = string;

const PIXEL = Buffer.from(
	'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
	'base64',
);
const YEAR_MS = 365 * 24 * 60 * 60 * 1_000;
const CLEAN_UP_TRIES = 3;

const statusOf = (error: unknown): string => {
	const { status } = toFailure(error).details;
	return status ? `HTTP ${status}` : 'no answer';
};
/** A refusal changed nothing; anything else may have. */
const isRefusal = (error: unknown): boolean =>
	[400, 401, 402, 403, 404, 409, 429].includes(toFailure(error).details.status);
const recordIn = (answer: Answer | undefined): IDataObject => (isRecord(answer?.data) ? answer.data : {});

/** Each step is said before it is done, and taken back before the next one. */
export async function probeWrites(
	service: Connection,
	said: Verdicts,
	person: Person,
	postTo?: string,
): Promise<LeftOver[]> {
	const left: LeftOver[] = [];
	const steps = [subscription, upload, ...(postTo ? [post] : [])];
	for (const step of steps) {
		if (person.signal.aborted) break;
		await step().catch((error: unknown) => person.say(`  Not done: ${statusOf(error)}.`));
	}
	return left;

	/** @returns whether it is gone */
	async function takenBack(method: 'POST' | 'DELETE', path: string): Promise<boolean> {
		for (let tries = 1; tries <= CLEAN_UP_TRIES; tries++) {
			try {
				await service.ask(method, path);
				return true;
			} catch (error) {
				if (toFailure(error).details.status === 404 && method === 'DELETE') return true;
				if (tries < CLEAN_UP_TRIES) await sleep(500 * tries);
			}
		}
		return false;
	}

	async function subscription(): Promise<void> {
		const url = `https://probe-${crypto.randomUUID()}.invalid/webhook`;
		person.say(`Subscribes ${url} to post.failed and deletes it. Nothing stays behind.`);
		const secret = crypto.randomUUID() + crypto.randomUUID();
		let answer: IDataObject = {};
		try {
			const body = { url, events: ['post.failed'], secret };
			answer = recordIn(await service.ask('POST', '/webhooks', { body }));
		} catch (error) {
			if (isRefusal(error)) {
				said.set('31', notSeen(`the subscription with a secret of its own was refused`));
				return person.say(`  Refused (${statusOf(error)}); nothing was created.`);
			}
			person.say(`  Not confirmed (${statusOf(error)}); looking for it in the list.`);
		}
		const webhook = isRecord(answer.webhook) ? answer.webhook : answer;
		const theirs = readSecret(webhook) ?? readSecret(answer);
		if (Object.keys(answer).length > 0)
			said.set(
				'31',
				judged(
					theirs !== undefined &&
						theirs !== secret &&
						"the service's own secret is in force; the trigger uses it",
				),
			);
		const known = readSubscription(webhook).id ?? readSubscription(answer).id;
		// The address is random, so an entry that has it is ours. It may appear late.
		let listed: Awaited<ReturnType<Connection['list']>> | undefined;
		let found: string | undefined;
		for (let tries = 1; !known && !found && tries <= CLEAN_UP_TRIES; tries++) {
			if (tries > 1) await sleep(1_000);
			listed = await service.list(lists.webhooks).catch(() => undefined);
			found = listed?.records.map(readSubscription).find((one) => one.url === url)?.id;
		}
		const id = known ?? found;
		if (id && (await takenBack('DELETE', `/webhooks/${pathSegment(id, 'Webhook')}`)))
			return person.say('  Created and deleted.');
		if (!id && listed?.isComplete && Object.keys(answer).length === 0)
			return person.say('  It is not there.');
		left.push(`subscription ${id ?? '(its ID could not be read)'} to ${url}`);
	}

	async function upload(): Promise<void> {
		person.say('Uploads an image of one pixel. The upload stays behind: the API deletes none.');
		const body = { filename: 'probe.png', content_type: 'image/png', size: PIXEL.length };
		const answer = recordIn(await service.ask('POST', '/media/upload-url', { body }));
		const address = uploadUrlNames.map((name) => answer[name]).find((one) => typeof one === 'string');
		if (!address) {
			said.set('18', judged('no upload address that the package knows: an upload is an error'));
			return person.say('  No upload address; nothing was uploaded.');
		}
		const to = new URL(address as string, service.apiUrl);
		// Neither the key nor a header of the API goes to the address.
		const put = await fetch(to, {
			method: 'PUT',
			body: PIXEL,
			redirect: 'manual',
			headers: { 'content-type': 'image/png' },
			signal: AbortSignal.timeout(30_000),
		});
		const other =
			answer.upload_url === undefined && 'another name for the upload address, which the package knows';
		const refused = !put.ok && `the upload itself is answered with ${put.status}: Media: Upload fails`;
		said.set('18', judged(other, refused));
		person.say(put.ok ? '  Uploaded.' : `  Not uploaded (HTTP ${put.status}).`);
	}

	/** The ID of the post, as far as the service names it; or the refusal, after which there is none. */
	async function created(body: IDataObject): Promise<{ id?: string; refused?: string }> {
		try {
			return { id: readPost(recordIn(await service.ask('POST', '/posts', { body }))).id };
		} catch (error) {
			const { id } = readPost(toFailure(error).details.post ?? {});
			return !id && isRefusal(error) ? { refused: statusOf(error) } : { id };
		}
	}

	async function post(): Promise<void> {
		const { records } = await service.list(lists.accounts);
		const fits = records.map(readAccount).filter(({ id }) => id === postTo);
		const [account] = fits;
		const platform = account && factOf(account.platform);
		if (fits.length !== 1 || !platform)
			return person.say(
				'Posts nothing: --post-to is not the ID of exactly one account with a known platform.',
			);
		const at = new Date(Date.now() + YEAR_MS).toISOString();
		person.say(
			[
				`Schedules a post to account ${postTo} (${platform}) for ${at}, reads it and cancels it at once.`,
				'  What stays behind: a canceled post. Its events run the workflows of others who subscribed to them, and',
				'  approvers may get mail. A service that ignores the time publishes it: the text then is public.',
			].join('\n'),
		);
		if ((await person.ask('Type yes to post: ')).trim() !== 'yes' || person.signal.aborted)
			return person.say('  Not posted.');
		const body = { platform, account_id: postTo, content: { text: 'Test of the API. Please ignore.' } };
		const both = { ...body, scheduled_at: at, schedule_at: at };
		let sent = await created(both);
		if (sent.refused === 'HTTP 400') {
			person.say(
				[
					'  Refused with both time fields (HTTP 400); nothing was posted. It can go out with `scheduled_at` alone, which is',
					'  what the package sends by default. A service that does not know that field publishes it.',
				].join('\n'),
			);
			if ((await person.ask('Type yes to post so: ')).trim() === 'yes' && !person.signal.aborted)
				sent = await created({ ...body, scheduled_at: at });
		}
		if (sent.refused) {
			said.set('15', notSeen('the service refused the post; nothing was posted'));
			return person.say(`  Refused (${sent.refused}); nothing was posted.`);
		}
		const { id } = sent;
		if (!id)
			return void left.push(`perhaps a post for ${at}; the service named no ID, so look in its calendar`);
		const path = `/posts/${pathSegment(id, 'Post')}`;
		const statusNow = async (): Promise<string> =>
			readPost(recordIn(await service.ask('GET', path).catch(() => undefined))).status;
		const status = await statusNow();
		if (status !== 'scheduled')
			person.say(`  CAUTION: the post says '${status}', not 'scheduled'. Canceling it now.`);
		const isAccepted = await takenBack('POST', `${path}/cancel`);
		const isCanceled = (await statusNow()) === 'canceled';
		said.set(
			'15',
			judged(
				status !== 'scheduled' &&
					'the post was not scheduled: the time may be ignored. Use the other post format',
			),
		);
		said.set(
			'17',
			judged(
				!isAccepted && 'a request without a body is not accepted',
				isAccepted && !isCanceled && 'the post is not `canceled` after it',
			),
		);
		if (isCanceled) person.say('  Canceled.');
		else
			left.push(
				`post ${id}: it could not be confirmed as canceled${status === 'scheduled' ? '' : ' and may be public'}`,
			);
	}
}
