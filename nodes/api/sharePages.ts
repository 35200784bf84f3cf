import { hostOf } from './fileNames';

/** Services whose links to a file open a page, and what stands in links that open the file itself. */
const services: ReadonlyArray<readonly [name: string, host: RegExp, direct: RegExp]> = [
	['Google Drive', /(^|\.)(drive|docs)\.google\.com$/, /\/uc\?|[?&]export=download/],
	['Dropbox', /(^|\.)dropbox\.com$/, /[?&](dl|raw)=1/],
	['OneDrive', /(^|\.)(1drv\.ms|onedrive\.live\.com|sharepoint\.com)$/, /[?&]download=1|\/download\?/],
];

/** The service whose page a link opens instead of a file. */
export function sharePageOf(url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	return services.find(([, host, direct]) => host.test(hostOf(url)) && !direct.test(url))?.[0];
}
