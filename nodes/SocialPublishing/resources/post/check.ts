import { countBy, groupBy, map, mapValues, min, pick, sortBy, sumBy, uniqBy } from 'lodash';

import { refusal, toFailure, type Failure } from '../../../api/failure';
import { readPost } from '../../../api/records';
import type { Planned } from '../../engine/operation';
import { timeFields } from '../../writes/key';
import type { Sent } from '../../writes/write';
import { approvalCode, codesIn, unapproved } from './approval';
import {
	heedWarnings,
	isPast,
	judgeFiles,
	noting,
	PlannedRequest,
	refuseLate,
	throwAll,
	type PostFile,
	type PostPlan,
} from './plan';
import { queueOf } from './queue';
import type { Target } from './targets';
import { refuseLongWait } from './when';

type PlannedRow = Planned<PostPlan>;

/** Each row meets what was begun of it; what is left is judged, gets its slot, and needs its code. @returns what is wrong, by position */
export async function checkPosts(rows: readonly PlannedRow[]): Promise<Array<Failure | undefined>> {
	const failures = new Map<PlannedRow, Failure>();
	const eachRow = async (check: (row: PlannedRow) => Promise<void> | void) => {
		for (const row of rows) {
			if (failures.has(row)) continue;
			try {
				await check(row);
			} catch (error) {
				failures.set(row, toFailure(error));
			}
		}
	};
	await eachRow(meetPast);
	const wantsSlot = ({ plan }: PlannedRow) =>
		plan.row.slots && leftOf(plan).some(({ dueAt }) => dueAt === undefined);
	const slotted = new Set(rows.filter(wantsSlot).map(({ item }) => item.workspaceId));
	await eachRow(async (row) => (slotted.has(row.item.workspaceId) ? await occupy(row) : undefined));
	const sentBefore = rows[0]?.item.sentBefore ?? [];
	const approvals = new Approvals(sentBefore);
	await eachRow(async (row) => {
		const files = await approvals.read(row);
		await takeSlots(row, (request) => approvals.isApproved(row, request, files));
		approvals.approve(row, files);
	});
	for (const [row, failure] of tooMany(
		rows.filter((one) => !failures.has(one)),
		sentBefore,
	))
		failures.set(row, failure);
	return rows.map((row) => failures.get(row));
}

/** What is sent: not what was sent already, nor what is skipped. */
const leftOf = ({ requests }: PostPlan): PlannedRequest[] =>
	requests.filter(({ sent, skipped }) => !sent && !skipped);

/** Makes the requests of a row, and throws all that is wrong with what is left to send of it. */
async function meetPast({ plan, item }: PlannedRow): Promise<void> {
	const { row, targets } = plan;
	const { begun, left } = item.continued(plan.asked!, targets);
	// The quick start's form: those without a text, fields or account of their own share a request.
	const isShared = ({ platform, isAccountNamed }: Target): boolean =>
		item.postFormat === 'quickStart' &&
		item.keyMode === 'execution' &&
		!isAccountNamed &&
		!row.texts?.has(platform) &&
		!row.fields?.has(platform);
	const groups = Object.values(groupBy(left, (one) => (isShared(one) ? 'shared' : `own ${one.name}`)));
	const wrong = left.length > 0 ? [...plan.wrong] : [];
	const known = groups.filter(([target]) => target!.platform);
	const unknown = left.flatMap(({ platform, problem }) => (platform || !problem ? [] : problem));
	wrong.unshift(...unknown);
	const requests = [
		...[...begun].map(([sent, asked]) => ({ asked, request: new PlannedRequest(row, asked, sent) })),
		...known.flatMap((asked) => {
			const request = noting(wrong, () => new PlannedRequest(row, asked));
			return request ? { asked, request } : [];
		}),
	];
	plan.requests = map(
		sortBy(requests, ({ asked }) => targets.indexOf(asked[0]!)),
		'request',
	);
	for (const request of plan.requests) if (!request.sent) judge(plan, request, wrong);
	if (leftOf(plan).length > 0)
		for (const file of row.files)
			await item.uploads.requireFile(file).catch((error: unknown) => wrong.push(toFailure(error)));
	// Without targets there is no request whose time could be judged.
	if (known.length === 0 && left.length > 0 && !item.previewOnly)
		noting(wrong, () => refuseLate(row, row.schedule?.utc));
	throwAll(wrong);
}

/** Notes what is wrong with a request, and in a preview what a person is warned of. */
function judge({ row }: PostPlan, request: PlannedRequest, wrong: Failure[]): void {
	const { item, params } = row;
	const { options, mediaFrom } = params;
	const { posts, dueAt, warnings, hasMedia } = request;
	const late: Failure[] = [];
	noting(late, () => refuseLate(row, dueAt, posts[0]!.platform));
	noting(late, () => refuseLongWait(params, dueAt, item));
	if (options.ifPast === 'skip' && isPast(late[0])) {
		if (item.previewOnly) warnings.push(`Would be skipped: ${late[0]!.message}`);
		else request.skipped = late[0];
		return;
	}
	const refused = [...posts.flatMap(({ problem }) => problem ?? []), ...late];
	if (item.previewOnly) warnings.push(...map(refused, 'message'));
	else wrong.push(...refused);
	if (mediaFrom === 'none' && !hasMedia && posts.some(({ text }) => text === ''))
		wrong.push(refusal('PARAMETER_EMPTY', "'Text' is empty", 'Enter a text or add media.'));
	if (options.onWarnings === 'stop' && !item.previewOnly)
		wrong.push(...warnings.map((warning) => refusal('WARNINGS', warning, heedWarnings)));
}

/** A time of the user's takes its slot before the slots go to the rows. */
async function occupy({ plan, item }: PlannedRow): Promise<void> {
	for (const { dueAt, posts } of leftOf(plan)) {
		if (dueAt === undefined) continue;
		const queue = await queueOf(item).catch(() => undefined);
		for (const post of posts) queue?.occupy({ ...post, at: Date.parse(dueAt) });
	}
}

/** Slots go to the rows in their order; a post with a time of its own needs none. */
async function takeSlots(
	{ plan, item }: PlannedRow,
	isApproved: (request: PlannedRequest) => boolean,
): Promise<void> {
	const { slots, params } = plan.row;
	if (!slots) return;
	for (const request of leftOf(plan)) {
		if (request.dueAt !== undefined) continue;
		const queue = await queueOf(item);
		// An approved slot is sent as it was approved.
		const approved =
			params.options.approvedCode &&
			queue.slots(slots).find((at) => {
				request.dueAt = at;
				return isApproved(request);
			});
		request.dueAt = approved || queue.take(request.posts, slots);
		refuseLongWait(params, request.dueAt, item);
		if (approved) for (const post of request.posts) queue.occupy({ ...post, at: Date.parse(approved) });
	}
}

/** Option *Max Posts per Execution*: posts of all rounds of a loop and all calls of a tool in this execution. */
function tooMany(rows: readonly PlannedRow[], sentBefore: Sent[]): Array<[PlannedRow, Failure]> {
	const limitOf = ({ plan }: PlannedRow) => plan.row.params.options.mostPosts;
	// Rows without a limit (0) neither count nor are limited.
	const posting = rows.filter((row) => !row.item.previewOnly && limitOf(row));
	const most = min(map(posting, limitOf));
	if (most === undefined) return [];
	const earlier = sentBefore.filter(({ path, isRerun }) => path === '/posts' && !isRerun);
	const before = sumBy(uniqBy(earlier, 'key'), ({ record }) => readPost(record).platforms.length || 1);
	const asked = posting
		.flatMap(({ plan }) => plan.requests)
		.filter(({ sent, skipped }) => !skipped && (!sent || sent.isRerun));
	const wanted = sumBy(asked, 'posts.length');
	if (before + wanted <= most) return [];
	const failure = refusal(
		'MOST_POSTS',
		`'Max Posts per Execution' is ${most}: this execution has sent ${before} and asks for ${wanted} more`,
		"Request fewer posts, or raise 'Max Posts per Execution' in the node's options.",
	);
	return posting.map((row) => [row, failure]);
}

/** *Approved Code*: each lets one request of the execution out. */
class Approvals {
	private readonly used: Record<string, number>;

	constructor(sentBefore: Sent[]) {
		this.used = countBy(sentBefore.flatMap(({ entry }) => entry.approvalCode ?? []));
	}

	/** The files of a row as they are approved: by their bytes. */
	async read({ plan, item }: PlannedRow): Promise<PostFile[]> {
		const { files, media } = plan.row;
		const isNeeded = item.previewOnly || (approvedCodeOf({ plan, item }) && leftOf(plan).length > 0);
		if (!isNeeded || files.length === 0) return media;
		return await Promise.all(files.map(async (file) => await item.uploads.preview(file, true)));
	}

	/** Whether a request, as it is, has an approved code that is left. */
	isApproved(row: PlannedRow, request: PlannedRequest, files: PostFile[]): boolean {
		return !this.refusal(row, codeOf(row, request, files));
	}

	/** @throws Failure for a request without a code that is left */
	approve(row: PlannedRow, files: PostFile[]): void {
		const { item, plan } = row;
		const isAsked = Boolean(approvedCodeOf(row));
		if (!item.previewOnly && !isAsked) return;
		const requests = plan.requests.filter(({ skipped }) => !skipped);
		judgeFiles(requests, files);
		for (const request of requests) {
			if (item.previewOnly && files.some(({ identity }) => identity === '')) {
				request.warnings.push(noCode);
				continue;
			}
			const code = request.sent?.entry.approvalCode ?? codeOf(row, request, files);
			request.approvalCode = code;
			if (request.sent || !isAsked) continue;
			const refused = this.refusal(row, code);
			if (refused) throw refused;
			this.used[code] = (this.used[code] ?? 0) + 1;
		}
	}

	private refusal(row: PlannedRow, code: string): Failure | undefined {
		return unapproved(codesIn(approvedCodeOf(row)!), code, this.used);
	}
}

const noCode =
	"There is no approval_code, since the file behind 'Media URLs' is larger than 200 MB or takes longer than 30 s to read";

const approvedCodeOf = ({ plan }: PlannedRow): string | undefined => plan.row.params.options.approvedCode;

/** The code of a request: a time that only counts from now is approved as the user gave it. */
function codeOf({ item, plan: { row } }: PlannedRow, request: PlannedRequest, files: PostFile[]): string {
	const { schedule } = row;
	const body = request.writeWith(files.map(({ identity }) => ({ identity, readUrl: identity }))).body!;
	const asGiven = (time: unknown) => (time === schedule?.utc && schedule?.relativeTo) || time;
	const times = mapValues(pick(body, timeFields), asGiven);
	return approvalCode(item.workspaceId, request.posts, body, times);
}
