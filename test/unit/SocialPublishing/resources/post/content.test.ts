import { contentBody } from '../../../../../nodes/SocialPublishing/resources/post/content';

test('only what is given', () => {
	expect(contentBody('integrationGuide', {})).toEqual({});
	expect(contentBody('quickStart', {})).toEqual({});
	const whole = { text: 'Hi', media: ['m'], scheduledAt: 't' };
	expect(contentBody('integrationGuide', whole)).toEqual({
		content: { text: 'Hi', media: ['m'] },
		scheduled_at: 't',
	});
	expect(contentBody('quickStart', whole)).toEqual({ content: 'Hi', media: ['m'], schedule_at: 't' });
	expect(contentBody('integrationGuide', { media: ['m'] })).toEqual({ content: { media: ['m'] } });
	expect(contentBody('integrationGuide', { text: '' })).toEqual({ content: { text: '' } });
});
