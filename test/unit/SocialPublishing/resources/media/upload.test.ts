import { upload } from '../../../../../nodes/SocialPublishing/resources/media/upload';
import { checkOf, paramsOf, runOf } from '../operations';

const uploads = {
	binary: async (field: string) => ({ record: { file: field } }),
	remote: async (url: string) => ({ record: { file: url } }),
} as never;

test.each([
	[{ binaryFields: 'a, b' }, ['a', 'b']],
	[
		{ mediaFrom: 'url', mediaUrls: 'https://a.example/1 https://a.example/2' },
		['https://a.example/1', 'https://a.example/2'],
	],
])('%j is an item a file, and a request each', async (given, files) => {
	const { outcomes } = await runOf(upload, given, { item: { uploads } });
	expect(outcomes).toEqual(files.map((file) => ({ file })));
	expect(upload.countRequests!(paramsOf(upload, given), 'integrationGuide')).toBe(files.length);
});

test('a file that is not there is refused first; where the run goes on, when it is its turn', () => {
	const given = { binaryFields: 'photo' };
	expect(() => checkOf(upload, given)).toThrow('needs photo');
	expect(() => checkOf(upload, given, { continueOnFail: true })).not.toThrow();
});
