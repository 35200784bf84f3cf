import { isAskedFor } from '../../../nodes/SocialPublishingTrigger/filter';
import { readOptions } from '../../../nodes/SocialPublishingTrigger/settings';

test.each([
	['an event that was chosen', 'post.failed', 'br_1', {}, true],
	['another one', 'post.created', 'br_1', {}, false],
	['one without a name', undefined, 'br_1', {}, false],
	['an additional one', 'post.archived', 'br_1', { additionalEvents: 'post.archived' }, true],
	['of any brand', 'post.failed', undefined, {}, true],
	['of a brand that was chosen', 'post.failed', 'br_2', { brandIds: 'br_1, br_2' }, true],
	['of another brand', 'post.failed', 'br_3', { brandIds: 'br_1, br_2' }, false],
	['of a brand that is a number', 'post.failed', 7, { brandIds: '7' }, true],
	['without a brand where one was chosen', 'post.failed', undefined, { brandIds: 'undefined' }, false],
	['with the brand null where one was chosen', 'post.failed', null, { brandIds: 'null' }, false],
	['of another name, of a brand that was chosen', 'post.created', 'br_1', { brandIds: 'br_1' }, false],
])('%s', (_name, type, brand_id, options, expected) => {
	const event = { id: 'evt_1', ...(type ? { type } : {}), brand_id };
	expect(isAskedFor(event, ['post.published', 'post.failed'], readOptions(options))).toBe(expected);
});
