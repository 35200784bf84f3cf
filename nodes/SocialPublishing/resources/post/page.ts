import { mediaType } from '../../../api/fileTypes';
import { titleOf } from '../../../api/contract';
import { filled } from '../../../api/texts';
import type { FileFacts } from '../../media/files';
import { foldOf, sizeInWords } from './networks';

// n8n's HTML node and mail programs leave classes and style sheets, but no scripts, no `dir`, `lang` or `aria-*`, and no `img`.

/** n8n and mail programs take no page of any size. */
const MAX_REQUESTS = 1024 ** 2;

export interface Card {
	platform: string;
	account: string;
	when: string;
	text: string;
	characters: string;
	warnings: string[];
	note?: string;
	files: FileFacts[];
}

const style = `:root{color-scheme:light dark}
body{margin:0 auto;max-width:40rem;padding:1rem;font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.4rem}
h2{font-size:1.1rem;margin:0}
.card{border:1px solid #8888;border-radius:12px;margin:1rem 0;padding:1rem}
.small{font-size:.85rem;margin:.25rem 0;opacity:.8}
.text{margin:.75rem 0;overflow-wrap:anywhere;unicode-bidi:plaintext;white-space:pre-wrap}
.text b{color:light-dark(#0b57d0,#8ab4f8);font-weight:inherit;unicode-bidi:plaintext}
.more{border-top:1px dashed;display:block;font-size:.8rem;margin:.25rem 0;opacity:.8;unicode-bidi:isolate}
.warnings{border-left:4px solid #d98200;list-style:none;margin:.75rem 0;overflow-wrap:anywhere;padding:0 0 0 .75rem}
.picture{align-items:center;background:#8882 center/contain no-repeat;border-radius:8px;display:flex;height:12rem;justify-content:center;max-width:20rem}
pre{font-size:.75rem;overflow-wrap:anywhere;white-space:pre-wrap}
@media print{.card{break-inside:avoid}.picture{print-color-adjust:exact}}`;

/** `$` would count where n8n's HTML node puts the page into its template. */
const escaped = (text: string): string =>
	text
		.replace(/(?![\t\n])\p{Cc}|\p{Cs}/gu, (sign) => (sign === '\r' ? '' : '\ufffd'))
		.replace(/[&<>"'`$]/g, (sign) => `&#${sign.charCodeAt(0)};`);

const marks =
	/(https?:\/\/[^\s<>"']*[^\s<>"'.,;:!?)]|(?<![\p{L}\p{N}_/.@#])[@#][\p{L}\p{N}_][\p{L}\p{M}\p{N}_.-]*)/giu;

const marked = (text: string): string =>
	text
		.split(marks)
		.map((part, index) => (index % 2 === 1 ? `<b>${escaped(part)}</b>` : escaped(part)))
		.join('');

/** A text as a reader sees it, with a line where the network hides the rest. */
function textOn(platform: string, text: string): string {
	const fold = foldOf(platform, text);
	if (fold === undefined) return marked(text);
	// In brackets, for mail programs that drop all styles.
	const line = ` [${escaped(titleOf(platform))} hides the rest from about here behind “more”] `;
	return `${marked(text.slice(0, fold))}<span class="more">${line}</span>${marked(text.slice(fold))}`;
}

/** A small picture, or a place for a video; what it is stands below. */
function fileOn(
	{ name, contentType = '', sizeBytes, bytes }: FileFacts,
	pictures: Map<Buffer, string>,
): string {
	const facts = filled([name, contentType, sizeBytes === undefined ? '' : sizeInWords(sizeBytes)]);
	const isVideo = mediaType(contentType, name).startsWith('video/');
	const picture = bytes && pictures.get(bytes);
	const box =
		picture || isVideo ? `<div class="picture ${picture ?? ''}">${isVideo ? '▶ Video' : ''}</div>` : '';
	return `${box}<p class="small">${escaped(facts.join(', '))}</p>`;
}

export function pageOf(cards: Card[], requests: unknown[]): string {
	const pictures = new Map<Buffer, string>();
	const rules: string[] = [];
	for (const { bytes, contentType } of cards.flatMap(({ files }) => files)) {
		if (!bytes || pictures.has(bytes)) continue;
		pictures.set(bytes, `p${pictures.size}`);
		rules.push(
			`.${pictures.get(bytes)}{background-image:url(data:${contentType};base64,${bytes.toString('base64')})}`,
		);
	}
	const cardOf = ({ platform, account, when, text, characters, warnings, note, files }: Card): string => {
		const warned = warnings.map((warning) => `<li><strong>Warning:</strong> ${escaped(warning)}</li>`);
		return `<article class="card">
<h2>${escaped(titleOf(platform))}${account ? ` · <bdi>${escaped(account)}</bdi>` : ''}</h2>
<p class="small">${escaped(filled([when, note]).join(' · '))}</p>
<div class="text">${text ? textOn(platform, text) : '(no text)'}</div>
${files.map((file) => fileOn(file, pictures)).join('\n')}
<p class="small">${characters ? `Length: ${escaped(characters)}` : ''}</p>
${warned.length > 0 ? `<ul class="warnings">${warned.join('')}</ul>` : ''}
</article>`;
	};
	const warned = cards.filter(({ warnings }) => warnings.length > 0).length;
	const title = `Preview of ${cards.length} ${cards.length === 1 ? 'post' : 'posts'}`;
	const json = escaped(JSON.stringify(requests, null, 1));
	return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title>
<style>${style}</style><style>${rules.join('\n')}</style></head><body>
<h1>${title}</h1>
<p class="small">Nothing was sent.${warned > 0 ? ` ${warned} with warnings.` : ''}</p>
${cards.map(cardOf).join('\n')}
${json.length < MAX_REQUESTS ? `<h2>Requests</h2>\n<pre>${json}</pre>` : ''}
</body></html>`;
}
