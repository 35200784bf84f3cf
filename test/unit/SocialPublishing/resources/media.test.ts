import { upload } from '../../../../nodes/SocialPublishing/resources/media/upload';
import { uploadDirect } from '../../../../nodes/SocialPublishing/resources/media/uploadDirect';
import { operationOf, planOf, previewOf, requestOf, sendOf } from './operations';

test.each([upload, uploadDirect])(
	'$name: a file that is not there is refused first; where the run goes on, when it is its turn',
	async (operation) => {
		const message = operation === upload ? 'needs photo' : 'needs photo in memory';
		const given = { binaryFields: 'photo' };
		await expect(planOf(operation, given, { missingFiles: ['photo'] })).rejects.toThrow(new Error(message));
		const goingOn = { missingFiles: ['photo'], item: { continueOnFail: true } };
		expect((await planOf(operation, given, goingOn)).plan).toHaveProperty('files.0.source', 'photo');
	},
);

test.each([
	[upload, { binaryFields: 'a, b' }, ['a', 'b']],
	[
		upload,
		{ mediaFrom: 'url', mediaUrls: 'https://a.example/1 https://a.example/2' },
		['https://a.example/1', 'https://a.example/2'],
	],
	[uploadDirect, { binaryFields: 'b, a' }, ['b', 'a']],
])('%# %j is an item a file, also in its preview', async (operation, given, files) => {
	expect((await sendOf(operation, given)).outcomes).toEqual(files.map((file) => ({ file })));
	expect((await previewOf(operation, given)).outcomes).toMatchObject(
		files.map((filename) => ({ preview: true, filename, request: { method: 'POST' } })),
	);
});

test.each([
	['half a byte is refused', { size: 10.5 }, "'Size' is 10.5"],
	['a size that nobody entered is refused', {}, "'Size' is 0"],
])('%s, naming the field', (_what, size, message) => {
	const given = { fileName: 'a.png', contentType: 'image/png', ...size };
	expect(() => requestOf(operationOf('media.createUploadUrl'), given)).toThrow(message);
});
