import ICAL from 'ical.js';
import { poll, request } from '../n8n/client';
import { example } from '../n8n/examples';
import type { PastPost } from '../service/seed';
import { addPost, DAY } from '../support/store';
import { useScene } from './shared';

/** The example 'calendar-feed', read as a calendar app does. */
describe('the posts as a calendar to subscribe to', () => {
	const scene = useScene();

	beforeAll(async () => await scene.n8n.activate(await scene.save(await example('calendar-feed'))));

	/** The feed, and what a parser reads in it; what it reads wrongly it throws at, or skips. */
	async function feed() {
		const address = `${scene.n8n.webhookUrl}/webhook/social-posts-change-me.ics`;
		const answer = await poll(
			'the feed',
			async () => await request(address),
			({ ok }) => ok,
		);
		const text = await answer.text();
		const calendar = new ICAL.Component(ICAL.parse(text));
		expect(calendar.name).toBe('vcalendar');
		const events = calendar.getAllSubcomponents('vevent').map((one) => {
			const { uid, startDate, duration, summary, description } = new ICAL.Event(one);
			const stamp = one.getFirstPropertyValue('dtstamp') as ICAL.Time;
			const at = startDate.toJSDate().getTime();
			const minutes = duration.toSeconds() / 60;
			const stamped = stamp.toJSDate().getTime();
			return { uid, at, zone: startDate.zone?.tzid, minutes, summary, description, stamped };
		});
		return { type: answer.headers.get('content-type'), text, events: events.sort((a, b) => a.at - b.at) };
	}

	const texts = [
		'Rye bread, still warm; come early \\ or late: "today"',
		'Line one\nLine two\r\nLine three\rLine four',
		'🥨'.repeat(60),
		'a' + '🥨'.repeat(60),
		'Grüße aus der Bäckerei – ' + 'ä'.repeat(120),
		'BEGIN:VEVENT\r\nEND:VCALENDAR',
		'A bell\u0007 and a tab\there',
		'x'.repeat(75),
		'',
	];
	const plain = (text: string) => text.replace(/\r\n?/g, '\n').replace('\u0007', '');

	test('every post of the next 60 days, whatever its text, as a parser of iCalendar reads it', async () => {
		expect((await feed()).events).toEqual([]);
		const start = Math.floor(Date.now() / 60_000) * 60_000;
		const at = (n: number) => start + n * DAY;
		const insert = (id: string, text: string, days: number, status?: PastPost['status']) =>
			scene.service.store.posts.get(addPost(scene.service, { id, text, status, at: at(days) }))!;
		texts.forEach((text, n) => insert(`post_${n}`, text, n + 1));
		insert('canceled', 'Not any more', 3, 'canceled');
		insert('past', 'Long ago', -1, 'completed');
		insert('far', 'Next year', 61);
		insert('quick', 'In the other form', 59).shape = 'quickStart';
		insert('draft', 'Some day', 0, 'draft');

		const { type, text, events } = await feed();
		expect(type).toBe('text/calendar; charset=utf-8');
		expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
		expect(Math.max(...text.split('\r\n').map((line) => Buffer.byteLength(line)))).toBe(75);
		expect(text).toMatch(/\r\n$/);
		expect(text).not.toContain('\ufffd');
		expect(events.map(({ uid }) => uid)).toEqual(
			[...texts.map((_text, n) => `post_${n}`), 'quick'].map((id) => `${id}@social-publishing`),
		);
		events.slice(0, texts.length).forEach((event, n) => {
			expect(event).toMatchObject({ at: at(n + 1), zone: 'UTC', minutes: 15 });
			expect(event.description).toMatch(/\n\nLinkedIn, \w+day, \w+ \d+, \d+:\d\d [AP]M \S+: scheduled$/);
			expect(event.description.startsWith(`${plain(texts[n]!)}\n\n`)).toBe(true);
			expect(event.stamped).toBeLessThanOrEqual(Date.now());
		});
		const summaries = [0, 1, texts.length].map((n) => events[n]!.summary);
		expect(summaries).toEqual([`LinkedIn: ${texts[0]}`, 'LinkedIn: Line one', 'LinkedIn: In the other form']);
	});
});
