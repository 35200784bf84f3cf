import { uploadDirect } from '../../../../../nodes/SocialPublishing/resources/media/uploadDirect';
import { planOf } from '../operations';

test('a file that is not there is refused first; where the run goes on, when it is its turn', async () => {
	const given = { binaryFields: 'photo' };
	await expect(planOf(uploadDirect, given, { missingFiles: ['photo'] })).rejects.toThrow('needs photo');
	const goingOn = { missingFiles: ['photo'], item: { continueOnFail: true } };
	expect((await planOf(uploadDirect, given, goingOn)).plan).toHaveProperty('files.0.source', 'photo');
});
