import groupBy from 'lodash/groupBy';
import partition from 'lodash/partition';
import { DateTime } from 'luxon';
import type { IDataObject } from 'n8n-workflow';

import { listNames } from '../../../api/contract';
import { Failure, toFailure, type Outcome } from '../../../api/failure';
import { titleOf } from '../../../api/platforms';
import { readPost } from '../../../api/records';
import type { ItemContext } from '../../engine/operation';
import type { WriteRequest } from '../../writes/write';
import { meansNow } from '../time';
import { refusePastSchedule, times, type Schedule, type ScheduleParams } from './schedule';
import { accountNames, isOn, problemOf, type Target } from './targets';

/** What would be sent, and what a person may want to know before. Only reads are sent for it. */

/** How close two posts of one account are a warning, in ms. */
const CLOSE = 5 * 60_000;
/** Characters that X takes; longer ones for some accounts. */
const X_LENGTH = 280;
/** Platforms whose posts are pictures or videos. */
const wantMedia = new Set(['instagram', 'tiktok', 'youtube']);

/** What one platform or account gets. */
export interface PlannedPost extends Target {
	text: string;
	/** `read_url`s, in a preview placeholders. */
	media: string[];
}

interface Preview {
	group: PlannedPost[];
	schedule?: Schedule;
	when: ScheduleParams['when'];
}

/** The item of one request of a preview. */
export async function previewOf(
	item: ItemContext,
	request: WriteRequest,
	{ group, schedule, when }: Preview,
): Promise<IDataObject> {
	const { warnings, ...preview } = await item.preview(request);
	const utc = when === 'nextSlot' ? slotIn(preview) : schedule?.utc;
	const time = utc && !meansNow(utc, item.now) ? utc : undefined;
	const problems = await Promise.all(group.map(async (target) => await problemOf(item, target)));
	const account = await accountNames(item, group);
	const { scheduled_at, scheduled_at_local } = times(time ?? wholeSecond(item.now), item.zone);
	return {
		platform: group.map(({ platform }) => platform).join(', '),
		// In every item, so that the table has no gaps.
		account,
		scheduled_at_local,
		text: group[0]!.text,
		warnings: [
			...(warnings as string[]),
			...pastWarning(schedule, item),
			...[sentLater[when] ?? []].flat(),
			...group.flatMap(likelyRefusals),
			...(await existing(item, group, time)),
			...problems.flatMap((problem) => (problem ? [problem.details.message] : [])),
		],
		scheduled_at,
		...(time ? {} : { publishes: 'now' }),
		...preview,
	};
}

/** Why it may get another time when it is sent. */
const sentLater: Partial<Record<ScheduleParams['when'], string>> = {
	delay: 'The delay starts when the post is sent',
	nextSlot: 'The slot is chosen when the post is sent',
};

const slotIn = ({ request }: IDataObject): string =>
	String(readPost((request as IDataObject).body as IDataObject).scheduledAt);

const wholeSecond = (ms: number): string =>
	DateTime.fromMillis(ms).toUTC().startOf('second').toISO({ suppressMilliseconds: true })!;

/** How many rows a warning names. */
const NAMED = 5;

/** The previews of a run, warned of rows of the same run that go to the same account at about the same time. */
export function comparePreviews(perItem: Outcome[][]): Outcome[][] {
	const all = perItem.flatMap((outcomes, row) =>
		outcomes.flatMap((one) => (one instanceof Failure || !one.preview ? [] : postsOf(one, row))),
	);
	const byPlatform = groupBy(all, 'platform');
	return perItem.map((outcomes, row) =>
		outcomes.map((one) => {
			if (one instanceof Failure || !one.preview) return one;
			const added = postsOf(one, row).flatMap((post) => {
				const others = byPlatform[post.platform]!.filter((other) => isClose(post, other));
				const [same, near] = partition(others, ({ text, at }) => text === post.text && at === post.at);
				const title = titleOf(post.platform);
				return [
					...(same.length > 0 ? [`${rowsOf(same)} of this run: the same text and time for ${title}`] : []),
					...(near.length > 0
						? [`${rowsOf(near)} of this run: a post within five minutes of this one for ${title}`]
						: []),
				];
			});
			return { ...one, warnings: [...(one.warnings as string[]), ...added] };
		}),
	);
}

interface PreviewedPost {
	row: number;
	platform: string;
	account: unknown;
	at: number;
	text: unknown;
}

/** What a preview sends, by platform. */
function postsOf({ platform, scheduled_at, text, request }: IDataObject, row: number): PreviewedPost[] {
	const account = ((request as IDataObject).body as IDataObject | undefined)?.account_id;
	const at = Date.parse(String(scheduled_at));
	return String(platform)
		.split(', ')
		.map((one) => ({ row, platform: one, account, at, text }));
}

const isClose = (mine: PreviewedPost, other: PreviewedPost): boolean =>
	mine.row !== other.row &&
	Math.abs(mine.at - other.at) <= CLOSE &&
	(!mine.account || !other.account || mine.account === other.account);

const rowsOf = (posts: PreviewedPost[]): string => {
	const rows = [...new Set(posts.map(({ row }) => row + 1))];
	const named = rows.slice(0, NAMED).join(', ') + (rows.length > NAMED ? ', …' : '');
	return `${rows.length === 1 ? 'Row' : 'Rows'} ${named}`;
};

/** A time that has passed is refused when it is sent. */
function pastWarning(schedule: Schedule | undefined, item: ItemContext): string[] {
	try {
		refusePastSchedule(schedule, item);
		return [];
	} catch (error) {
		return [toFailure(error).details.message];
	}
}

/** What the platform will refuse, most likely: only the platform knows. */
export function likelyRefusals({ platform, text, media }: PlannedPost): string[] {
	const title = titleOf(platform);
	const length = [...text].length;
	return [
		...(wantMedia.has(platform) && media.length === 0
			? [`${title} will probably reject it: posts there need an image or a video`]
			: []),
		...(platform === 'x' && length > X_LENGTH
			? [`${title} will probably reject it: ${length} characters, ${X_LENGTH} are usual`]
			: []),
	];
}

/** Posts that the service has already, near in time to this one. */
async function existing(item: ItemContext, group: PlannedPost[], time?: string): Promise<string[]> {
	const at = time ? Date.parse(time) : item.now;
	const iso = (ms: number): string => new Date(ms).toISOString();
	const qs = { from: iso(at - CLOSE), to: iso(at + CLOSE), limit: 100 };
	const near = await item
		.list({ path: '/posts', qs, listNames: listNames.posts })
		.catch((): IDataObject[] => []);
	return group.flatMap(({ platform, accountId, text }) =>
		near
			.filter(
				(post) =>
					isOn(post, { platform, accountId }) && Math.abs((readPost(post).listedAt ?? NaN) - at) <= CLOSE,
			)
			.filter(({ status }) => status !== 'canceled' && status !== 'failed')
			.map((post) => {
				const when = DateTime.fromMillis(readPost(post).listedAt ?? NaN, { zone: item.zone }).toFormat(
					'yyyy-LL-dd HH:mm',
				);
				const same = readPost(post).text === text;
				return `${titleOf(platform)} has a post ${same ? 'with the same text and time' : 'within five minutes of this one'} already: ${String(post.id)}, ${when}`;
			}),
	);
}
