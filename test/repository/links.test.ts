import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { SocialPublishing } from '../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingTrigger } from '../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';
import { documents, filesIn, readDocument as read, root, withoutBlocks } from '../support/documents';

/** What a document points to exists: links, headings, and the files that it names. */

/** Every file of the checkout that a document may name. */
const files = filesIn().map((path) => `/${path}`);

/** As GitHub makes them from headings. */
const anchorsOf = (markdown: string): string[] =>
	[...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
		heading
			.toLowerCase()
			.replace(/[^\w -]/g, '')
			.trim()
			.replaceAll(' ', '-'),
	);

/** Links to files and headings of this repository that are not there. */
function brokenLinks(path: string): string[] {
	const links = [...read(path).matchAll(/\]\(([^)\s]+)\)|(?:src|srcset)="([^"]+)"/g)].map(
		([, link, source]) => link ?? source ?? '',
	);
	return links.filter((link) => {
		if (/^(https?|mailto):/.test(link)) return false;
		const [file = '', anchor] = link.split('#');
		const target = file === '' ? path : join(dirname(path), file);
		if (!existsSync(join(root, target))) return true;
		return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
	});
}

/** Files between backticks, whole or the end of their path, that are not there. */
const missingFiles = (path: string): string[] =>
	[...withoutBlocks(read(path)).matchAll(/`([^`\s]+)`/g)]
		.map(([, text = '']) => text.replace(/^…\//, ''))
		.filter(
			(text) => /^[\w.-][\w./-]*\.(ts|mjs|cjs|md|yml)$/.test(text) || /^(test|tools|nodes|docs)\//.test(text),
		)
		.filter((text) => !/[<*]/.test(text))
		.filter((text) => !files.some((file) => `${file}/`.includes(`/${text.replace(/\/$/, '')}/`)));

test.each(documents)(
	'%s: its links lead to files and headings that exist; so do the files that it names',
	(path) => {
		expect([...brokenLinks(path), ...missingFiles(path)]).toEqual([]);
	},
);

test('links of nodes and credential lead to headings of the README', () => {
	const nodes = [new SocialPublishing(), new SocialPublishingTrigger()];
	const resources = nodes.flatMap(({ description }) => Object.values(description.codex!.resources!).flat());
	const urls = [new SocialPublishingApi().documentationUrl, ...resources.map(({ url }) => url)];
	const anchors = ['readme', ...anchorsOf(read('README.md'))];
	expect(urls.filter((url) => !anchors.includes(url.split('#')[1]!))).toEqual([]);
});
