import type { IDataObject } from 'n8n-workflow';

import { getAll } from '../../../../../nodes/SocialPublishing/resources/approval/getAll';
import { runOf } from '../operations';

const answer = ({ qs }: { qs: IDataObject }) => ({
	batches: Array.from({ length: Number(qs.limit) }, (_, i) => ({ id: `${String(qs.page)}-${i}` })),
	pagination: { hasNext: Number(qs.page) < 3 },
});

test.each([
	[{ limit: 7 }, 7, 1],
	[{ limit: 70 }, 70, 2],
	[{ returnAll: true, limit: 7 }, 150, 3],
])('as many as asked for, page after page: %j', async (given, count, pages) => {
	const { outcomes, asked } = await runOf(getAll, given, { answers: { '/approvals': answer } });
	expect(new Set(outcomes.map((one) => (one as IDataObject).id)).size).toBe(count);
	expect(asked).toHaveLength(pages);
});
