import fc from 'fast-check';

import { pageOf, type Card } from '../../../../../nodes/SocialPublishing/resources/post/page';
import { anyText, runs } from '../../../../support/property';

const card = (more: Partial<Card> = {}): Card => ({
	...{ platform: 'x', account: 'Plum', when: 'Now', text: 'Hi', characters: '2 of 280' },
	...{ warnings: [], files: [], ...more },
});
const textsOf = (html: string): string[] =>
	[...html.matchAll(/<div class="text">(.*?)<\/div>/gs)].map(([, text]) => text!);
/** What a browser shows of a piece of a page. */
const read = (html: string): string =>
	html
		.replace(/<span class="more">.*?<\/span>/g, '')
		.replace(/<[^>]*>/g, '')
		.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));

/** All that the page has of tags; none has anything of a user's. */
const tags =
	/^<(\/?(html|head|body|title|style|h1|h2|p|b|bdi|ul|li|strong|pre|article|div|span)|!doctype html|html lang="en"|meta (charset="utf-8"|name="viewport" content="width=device-width")|(article|div|p|span|ul) class="(card|small|text|more|warnings|picture (p\d+)?)")>$/;
const odd = fc.oneof(
	anyText(10),
	fc.constantFrom(
		...['</div>', '<script>', '&lt;', '"><img src=x>', '$&', "$'", '{{ 1 }}', '`', '</style>', ']]>'],
	),
	fc.constantFrom(
		...['#jam', '@plum', 'https://example.com/?a=1&b=<i>', '\r\n', '\0', '\u202e', '👨‍👩‍👧‍👦', 'é', '日本', 'שלום'],
	),
);
const word = fc.array(odd, { maxLength: 30 }).map((parts) => parts.join(''));
const file = fc.record({
	name: word,
	contentType: fc.constantFrom('image/png', 'video/mp4'),
	bytes: fc.constantFrom(undefined, Buffer.from('a')),
});
const cards = fc.array(
	fc.record({
		...{ platform: fc.oneof(fc.constantFrom('linkedin', 'instagram'), word), account: word, when: word },
		...{ text: word, characters: word, note: fc.option(word, { nil: undefined }) },
		...{ warnings: fc.array(word, { maxLength: 3 }), files: fc.array(file, { maxLength: 3 }) },
	}),
	{ minLength: 1, maxLength: 4 },
);

test('whatever is in a text, a name or a warning: one card a post, and nothing of it is markup', () => {
	fc.assert(
		fc.property(cards, (all) => {
			const page = pageOf(all, [{ body: all }]);
			const [found, between] = [page.match(/<[^>]*>/g)!, page.split(/<[^>]*>/)];
			// Once each: an `expect` for each of thousands of tags takes longer than all the rest.
			expect(found.filter((tag) => !tags.test(tag))).toEqual([]);
			expect(between.filter((text) => /[<>$]/.test(text))).toEqual([]);
			const times = (tag: string) => page.split(tag).length - 1;
			const isOpen = (name: string) => times(`<${name}>`) + times(`<${name} `) !== times(`</${name}>`);
			const names = ['article', 'div', 'p', 'ul', 'pre', 'b', 'span', 'style', 'body'];
			expect(names.filter(isOpen)).toEqual([]);
			expect(times('<article class="card">')).toBe(all.length);
			const shown = all.map(({ text }) =>
				text.replace(/\r/g, '').replace(/(?![\t\n])\p{Cc}|\p{Cs}/gu, '\ufffd'),
			);
			expect(textsOf(page).map(read)).toEqual(shown.map((text) => text || '(no text)'));
		}),
		runs(500),
	);
});

test.each([
	['linkedin', 210],
	['instagram', 125],
	['x', Infinity],
	['mastodon', Infinity],
])('%s hides what follows %d characters', (platform, after) => {
	const text = '👨‍👩‍👧‍👦'.repeat(250);
	const [shown = ''] = textsOf(pageOf([card({ platform, text })], []));
	const [before = '', ...rest] = shown.split(
		/<span class="more">.* hides the rest from about here behind “more”\] <\/span>/,
	);
	expect([before, ...rest]).toEqual(
		after < 250 ? [text.slice(0, after * 11), text.slice(after * 11)] : [text],
	);
	expect(textsOf(pageOf([card({ platform, text: 'a'.repeat(Math.min(after, 99)) })], []))[0]).not.toContain(
		'more',
	);
});

test('links, hashtags and mentions are marked, and nothing else', () => {
	const text = 'See https://a.example/b?c=1, @plum.jam & #Pflaumenmuß; mail@a.example, 1 #';
	const marked = textsOf(pageOf([card({ text })], []))[0]!
		.match(/<b>.*?<\/b>/g)!
		.map(read);
	expect(marked).toEqual(['https://a.example/b?c=1', '@plum.jam', '#Pflaumenmuß']);
});

test('pictures are embedded once; those that there is no room for are named', () => {
	const picture = (name: string) => ({
		...{ name, contentType: 'image/png', sizeBytes: 2 ** 20 },
		bytes: name === 'c.png' ? undefined : Buffer.alloc(2 ** 20),
	});
	const files = ['a.png', 'b.png', 'c.png'].map(picture);
	const page = pageOf([card({ files }), card({ files })], []);
	expect(page.match(/background-image/g)).toHaveLength(2);
	expect(page.match(/<div class="picture p\d"><\/div>/g)).toHaveLength(4);
	expect(page.match(/c\.png, image\/png, 1 MB/g)).toHaveLength(2);
	expect(page.length).toBeLessThan(3 * 2 ** 20);
});

/** Without the styles that all pages have. */
const bare = (html: string) => html.replace(/<style>:root.*?<\/style>/s, '');

test('a page of one post, which names no account and counts no characters', () => {
	const page = bare(pageOf([card({ account: '', characters: '' })], [1]));
	expect(page).toContain('<h1>Preview of 1 post</h1>\n<p class="small">Nothing was sent.</p>');
	expect(page).toContain('<h2>X</h2>\n<p class="small">Now</p>');
	expect(page).toContain('<h2>Requests</h2>\n<pre>[\n 1\n]</pre>');
	expect(page).not.toContain('Length');
});

test('a page of two posts, of which one has files, a note and warnings', () => {
	const [one, two] = ['1', '2'].map((name) => ({
		...{ name: `${name}.png`, contentType: 'image/png', bytes: Buffer.from(name) },
	}));
	const files = [one!, two!, { name: 'a.mp4', sizeBytes: 1 }, { name: 'a.pdf' }];
	const page = pageOf([card({ files, note: 'Later', warnings: ['a', 'b'] }), card()], [1]);
	const [head, cards] = bare(page).split('<article class="card">');
	expect(head).toMatch(
		/<title>Preview of 2 posts<\/title>.*<p class="small">Nothing was sent\. 1 with warnings\./s,
	);
	expect(head).toContain(`<style>.p0{background-image:url(data:image/png;base64,MQ==)}
.p1{background-image:url(data:image/png;base64,Mg==)}</style>`);
	expect(cards).toBe(`
<h2>X · <bdi>Plum</bdi></h2>
<p class="small">Now · Later</p>
<div class="text">Hi</div>
<div class="picture p0"></div><p class="small">1.png, image/png</p>
<div class="picture p1"></div><p class="small">2.png, image/png</p>
<div class="picture ">▶ Video</div><p class="small">a.mp4, 0.1 MB</p>
<p class="small">a.pdf</p>
<p class="small">Length: 2 of 280</p>
<ul class="warnings"><li><strong>Warning:</strong> a</li><li><strong>Warning:</strong> b</li></ul>
</article>
`);
});

test('requests of a megabyte and more are left out of the page', () => {
	const hasRequests = [16, 15].map((less) =>
		/Requests<.*<pre>/s.test(pageOf([card()], ['a'.repeat(2 ** 20 - less)])),
	);
	expect(hasRequests).toEqual([true, false]);
});
