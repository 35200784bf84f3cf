import { compact, countBy, lowerFirst, map, mapValues, memoize, omit, pick, sortBy } from 'lodash';

import { refusal, type Failure } from '../../../api/failure';
import { isRecord } from '../../../api/lists';
import { iso } from '../../../api/postRange';
import { canonical, hashOf, timeFields } from '../../writes/key';
import type { Sent } from '../../writes/journal';
import { judgeFiles, leftOf, type PlannedRequest, type PostFile, type PostPlan } from './plan';

/** *Approved Code*: what a person saw in a preview, in a code of one part for each thing that may change. */

const parts = ['target', 'text', 'files', 'fields', 'time'] as const;
const PART_LENGTH = 8;

/** What may change of an approved post, the least first. */
const changes = sortBy(
	parts.slice(1).reduce<string[][]>((all, part) => [...all, ...all.map((some) => [...some, part])], [[]]),
	'length',
);

const without = (changed: string[], code: string): string =>
	map(code.split('.'), (part, index) => (changed.includes(parts[index]!) ? '' : part)).join('.');

function codeOf(request: PlannedRequest, files: PostFile[]): string {
	const { item, schedule } = request.plan;
	const write = request.writeWith(files.map(({ identity }) => ({ identity, readUrl: identity })));
	const { platform, platforms, account_id, content, media, ...fields } = write.body!;
	const own = isRecord(content) ? content : {};
	const accounts = request.posts
		.map(({ accountId, listedId, problem }) =>
			// What is shown as refused is never what is sent.
			String(account_id ?? accountId ?? listedId ?? problem?.message ?? ''),
		)
		.sort();
	// A time that only counts from now is approved as the user gave it.
	const asGiven = (time: unknown) => (time === schedule?.utc && schedule?.relativeTo) || time;
	const said: Record<(typeof parts)[number], unknown> = {
		target: [item.workspaceId, [platform, platforms].flat().sort(), accounts],
		text: request.posts[0]!.text,
		files: [media, own.media],
		fields: [isRecord(content), omit(fields, timeFields), omit(own, 'text', 'media')],
		time: mapValues(pick(fields, timeFields), asGiven),
	};
	return parts.map((part) => partOf(said[part])).join('.');
}

const partOf = (said: unknown): string => hashOf(canonical(said)).slice(0, PART_LENGTH);

/** The codes of a run: each lets one request of the execution out. */
export class Approvals {
	private readonly used: Record<string, number>;
	/** How often each code is approved, by what the option says. */
	private readonly codesIn = memoize((given: string) => countBy(given.match(/[\w-]+(?:\.[\w-]+)*/g)));

	constructor(sentBefore: Sent[]) {
		this.used = countBy(compact(map(sentBefore, 'approvalCode')));
	}

	/** What is left of each code after each change: every row is compared with all codes, and there may be thousands of both. */
	private readonly unchangedIn = memoize((given: string) => {
		const codes = Object.keys(this.codesIn(given));
		return new Set(codes.flatMap((code) => changes.map((some) => without(some, code))));
	});

	/** The files of a row as they are approved: by their bytes. */
	async read(plan: PostPlan): Promise<PostFile[]> {
		const { item, files, media, params } = plan;
		const isNeeded = (item.previewOnly || params.options.approvedCode) && leftOf(plan).length > 0;
		if (!isNeeded || files.length === 0) return media;
		return await Promise.all(files.map(async (file) => await item.uploads.preview(file, true)));
	}

	/** The first of these slots, in ms, that is approved for a request. */
	slotOf(request: PlannedRequest, files: PostFile[], slots: number[]): number | undefined {
		const { plan } = request;
		// A slot changes nothing but the last part of the code.
		const others = codeOf(request, files).replace(/[^.]*$/, '');
		const name = timeFields[plan.item.postFormat === 'quickStart' ? 1 : 0];
		const given = pick(request.writeWith([]).body, timeFields);
		return slots.find((at) => {
			const code = others + partOf({ [name]: iso(at), ...given });
			return request.corrects?.approvalCode === code || this.isLeft(plan, code);
		});
	}

	private isLeft({ params }: PostPlan, code: string): boolean {
		return (this.codesIn(params.options.approvedCode!)[code] ?? 0) > (this.used[code] ?? 0);
	}

	/** Gives the requests of a row their codes: what was sent keeps its own, which counts. @throws Failure for one without a code that is left */
	approve(plan: PostPlan, files: PostFile[]): void {
		const { item, params } = plan;
		const isAsked = Boolean(params.options.approvedCode);
		if (!item.previewOnly && !isAsked) return;
		judgeFiles(plan, files);
		for (const request of plan.requests.filter(({ skipped }) => !skipped)) {
			if (item.previewOnly && files.some(({ identity }) => identity === '')) {
				request.warnings.push(noCode);
				continue;
			}
			const code = request.sent?.entry.approvalCode ?? codeOf(request, files);
			request.approvalCode = code;
			if (request.sent || !isAsked || request.corrects?.approvalCode === code) continue;
			const refused = this.refusal(request, code);
			// Its advice is to run the preview again.
			if (refused && !item.previewOnly) throw refused;
			if (refused) request.warnOf(refused);
			this.used[code] = (this.used[code] ?? 0) + 1;
		}
	}

	/** Why a request may not be sent: its code isn't approved, or was used as often as it was. */
	private refusal({ plan, posts }: PlannedRequest, code: string): Failure | undefined {
		if (this.isLeft(plan, code)) return undefined;
		const given = plan.params.options.approvedCode!;
		const approved = this.codesIn(given)[code] ?? 0;
		const changed = changes.find((some) => this.unchangedIn(given).has(without(some, code)));
		const unknown = posts.find(({ accountId, warning }) => warning && !accountId)?.warning;
		if (!approved && !changed && unknown)
			return refusal(
				'NOT_APPROVED',
				// Without where it would be posted.
				`This can't be compared with 'Approved Code': ${lowerFirst(unknown.replace(/;[^;]*$/, ''))}`,
				"Try again later, or run the preview again and let a person approve the new 'approval_code'.",
			);
		const what =
			approved > 0
				? `'Approved Code' has approved this ${approved === 1 ? 'once' : `${approved} times`}, and this is one more`
				: changed
					? `This isn't what was approved: the ${changed.join(' and the ')} changed`
					: "This isn't what was approved: 'Approved Code' has no code for this platform, account and workspace";
		return refusal(
			'NOT_APPROVED',
			what,
			"Run the preview again and let a person approve the new 'approval_code', or set the post back.",
		);
	}
}

const noCode =
	"There is no approval_code, since the file behind 'Media URLs' is larger than 200 MB or takes longer than 30 s to read";
