import { compact, map, min, partition, uniqBy } from 'lodash';

import { inTurn } from '../../../api/concurrency';
import { refusal, toFailure, type Failure } from '../../../api/failure';
import { ownIdWarnings } from '../../writes/key';
import { addressWarnings, mediaWarnings, textWarnings } from './networks';
import { lateness, leftOf, type PlannedPost, type PostPlan } from './plan';
import { queueIn, takeSlot } from './queue';
import { isPast, longWait } from './when';

/** What is wrong with rows, by what is left to send of them; gives them their slots. */
export async function checkPosts(plans: readonly PostPlan[]): Promise<Map<PostPlan, Failure>> {
	const wrong = new Map<PostPlan, Failure>();
	const fine = () => plans.filter((plan) => !wrong.has(plan));
	const each = async (check: (plan: PostPlan) => Promise<void>) =>
		await inTurn(fine(), async (plan) => {
			await check(plan).catch((error: unknown) => wrong.set(plan, toFailure(error)));
		});
	await each(judge);
	const slotted = new Set(
		fine().flatMap((plan) => (slotless(plan).length > 0 ? [plan.item.workspaceId] : [])),
	);
	// A time of the user's takes its slot before the slots go to the rows.
	for (const plan of fine().filter(({ item }) => slotted.has(item.workspaceId)))
		for (const { dueAt, target } of leftOf(plan))
			if (dueAt !== undefined) (await queueIn(plan.item).catch(() => undefined))?.occupy(target, dueAt);
	await each(giveSlots);
	limitPosts(fine(), wrong);
	return wrong;
}

/** Judges what is left of a row. @throws Failure with all that is wrong with it; of much of it a preview only warns */
async function judge(plan: PostPlan): Promise<void> {
	const { item, params, files } = plan;
	const wrong: Failure[] = [];
	for (const post of leftOf(plan)) {
		post.warnings = warningsOf(plan, post);
		const late = lateness(plan, post.dueAt);
		if (params.options.ifPast === 'skip' && isPast(late)) {
			post.skipped = late;
			post.warnings = [`Would be skipped: ${late!.message}`];
			continue;
		}
		const refused = compact([late, longWait(params, post.dueAt, item)]);
		if (item.isPreview) warnOf(post, ...refused);
		else wrong.push(...refused, ...refusedWarnings(plan, post));
		if (params.mediaFrom === 'none' && post.media.length === 0 && post.text === '')
			wrong.push(refusal('PARAMETER_EMPTY', "'Text' is empty", 'Enter a text or add media.'));
	}
	if (leftOf(plan).length > 0)
		for (const file of files)
			await item.uploads.requireFile(file).catch((error: unknown) => wrong.push(toFailure(error)));
	const [messages, hints] = ['message', 'details.hint'].map((name) => map(uniqBy(wrong, name), name));
	if (wrong[0]) throw wrong[0].with({ message: messages!.join('. '), hint: hints!.join(' ') });
}

/** A preview tells what stops the run from what only may go wrong. */
function warnOf(post: PlannedPost, ...refused: Failure[]): void {
	post.warnings = [...post.warnings, ...refused.map(({ message }) => `Would be refused: ${message}`)];
}

/** The warnings that stop a row, as *If a Platform Will Refuse It* says. */
const refusedWarnings = ({ params }: PostPlan, { warnings }: PlannedPost): Failure[] =>
	params.options.ifRefused === 'stop'
		? warnings.map((warning) =>
				refusal(
					'WARNINGS',
					warning,
					"Correct the row. To send it anyway, set 'If a Platform Will Refuse It' to 'Send'.",
				),
			)
		: [];

/** What networks are known to refuse. */
function warningsOf({ item, files }: PostPlan, { target, text, media }: PlannedPost): string[] {
	const known = [...files.map((file) => item.uploads.describe(file)), ...media.map((name) => ({ name }))];
	return [
		...ownIdWarnings(item.ownId),
		...textWarnings(target.platform, text),
		...mediaWarnings(target.platform, known),
		...addressWarnings([...media], item.apiUrl),
	];
}

/** What is left to send of a row and has no time: it needs a slot. */
const slotless = (plan: PostPlan): PlannedPost[] =>
	plan.slots ? leftOf(plan).filter(({ dueAt }) => dueAt === undefined) : [];

/** Slots go to the rows in their order. @throws Failure where none is free */
async function giveSlots(plan: PostPlan): Promise<void> {
	const { item } = plan;
	// What an earlier execution may have sent gets its slot when it is sent: then it may need none.
	if (item.keyMode !== 'execution' && !item.isPreview) return;
	for (const post of slotless(plan)) {
		const tooLate = takeSlot(plan, post, await queueIn(item));
		if (tooLate && !item.isPreview) throw tooLate;
		if (tooLate) warnOf(post, tooLate);
	}
}

/** Option *Max Posts per Execution* of a tool: the posts of all its calls in this execution count. */
function limitPosts(plans: PostPlan[], wrong: Map<PostPlan, Failure>): void {
	// Without a limit, or with 0, there is none.
	const limited = plans.filter(({ params }) => params.options.maxPosts);
	if (!limited[0]) return;
	const most = min(map(limited, 'params.options.maxPosts')) ?? Infinity;
	const sent = limited[0].item.writer.journal.all.filter(({ path }) => path === '/posts').length;
	for (const together of partition(limited, 'item.isPreview')) {
		const wanted = together.flatMap(leftOf);
		if (sent + wanted.length <= most) continue;
		const failure = refusal(
			'MAX_POSTS',
			`'Max Posts per Execution' is ${most}: this execution has sent ${sent} and asks for ${wanted.length} more`,
			'Request fewer posts, or raise Options → Max Posts per Execution.',
		);
		for (const plan of together)
			if (!plan.item.isPreview) wrong.set(plan, failure);
			else for (const post of leftOf(plan)) warnOf(post, failure);
	}
}
