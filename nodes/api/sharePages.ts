import { hostOf } from './fileNames';

/** Services whose links to a file open a page; `direct`: in links that open the file itself. */
const services = [
	{
		name: 'Google Drive',
		host: /(^|\.)(drive|docs)\.google\.com$/,
		direct: /\/uc\?|[?&]export=download/,
		hint: "Google Drive links open a page, not the file. Download the file with n8n's Google Drive node and upload it from the binary field.",
	},
	{
		name: 'Dropbox',
		host: /(^|\.)dropbox\.com$/,
		direct: /[?&](dl|raw)=1/,
		hint: "Dropbox links open a page, not the file. Replace dl=0 with dl=1 at the end of the URL, or use n8n's Dropbox node.",
	},
	{
		name: 'OneDrive',
		host: /(^|\.)(1drv\.ms|onedrive\.live\.com|sharepoint\.com)$/,
		direct: /[?&]download=1|\/download\?/,
		hint: "OneDrive links open a page, not the file. Download the file with n8n's OneDrive node and upload it from the binary field.",
	},
];

const serviceOf = (url: string) =>
	URL.canParse(url) ? services.find(({ host }) => host.test(hostOf(url))) : undefined;

/** How to get the file instead of the page that a link opens. */
export const shareHint = (url: string): string | undefined => serviceOf(url)?.hint;

/** The service whose page a link opens instead of a file. */
export function sharePageOf(url: string): string | undefined {
	const service = serviceOf(url);
	return service?.direct.test(url) ? undefined : service?.name;
}
