import { sharePageOf } from '../../../nodes/api/sharePages';

test.each([
	['https://drive.google.com/file/d/1/view', 'Google Drive'],
	['https://docs.google.com/document/d/1', 'Google Drive'],
	['https://drive.google.com/uc?export=download&id=1', undefined],
	['https://www.dropbox.com/s/1/a.png?dl=0', 'Dropbox'],
	['https://www.dropbox.com/scl/fi/1/a.png?rlkey=2&dl=1', undefined],
	['https://www.dropbox.com/s/1/a.png?raw=1', undefined],
	['https://1drv.ms/i/s!1', 'OneDrive'],
	['https://example.sharepoint.com/:i:/s/1', 'OneDrive'],
	['https://example.sharepoint.com/a.png?download=1', undefined],
	['https://notdropbox.com/a.png', undefined],
	['https://dropbox.com.example.com/a.png', undefined],
	['a.png', undefined],
])('the page that %s opens: %s', (url, name) => expect(sharePageOf(url)).toBe(name));
