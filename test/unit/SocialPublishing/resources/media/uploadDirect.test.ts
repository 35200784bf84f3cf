import { uploadDirect } from '../../../../../nodes/SocialPublishing/resources/media/uploadDirect';
import { planOf, previewOf, sendOf } from '../operations';

const given = { binaryFields: 'b, a' };

test('is an item a file', async () => {
	const request = { method: 'POST', path: '/media' };
	expect((await sendOf(uploadDirect, given)).outcomes).toEqual([{ file: 'b' }, { file: 'a' }]);
	expect((await previewOf(uploadDirect, given)).outcomes).toEqual(
		['b', 'a'].map((filename) => ({ preview: true, filename, request })),
	);
});

test('a file that is not there is refused first', async () => {
	await expect(planOf(uploadDirect, given, { missingFiles: ['a'] })).rejects.toThrow('needs a');
});
