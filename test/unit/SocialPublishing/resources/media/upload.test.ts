import { upload } from '../../../../../nodes/SocialPublishing/resources/media/upload';
import { planOf, previewOf, sendOf } from '../operations';

test.each([
	[{ binaryFields: 'a, b' }, ['a', 'b']],
	[
		{ mediaFrom: 'url', mediaUrls: 'https://a.example/1 https://a.example/2' },
		['https://a.example/1', 'https://a.example/2'],
	],
])('%j is an item a file', async (given, files) => {
	const request = { method: 'POST', path: '/media/upload-url' };
	expect((await sendOf(upload, given)).outcomes).toEqual(files.map((file) => ({ file })));
	expect((await previewOf(upload, given)).outcomes).toEqual(
		files.map((filename) => ({ preview: true, filename, request })),
	);
});

test('a file that is not there is refused first; where the run goes on, when it is its turn', async () => {
	const given = { binaryFields: 'photo' };
	await expect(planOf(upload, given, { missingFiles: ['photo'] })).rejects.toThrow('needs photo');
	const goingOn = { missingFiles: ['photo'], item: { continueOnFail: true } };
	expect((await planOf(upload, given, goingOn)).plan).toHaveProperty('files.0.source', 'photo');
});
