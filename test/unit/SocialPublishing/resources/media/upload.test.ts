import { upload } from '../../../../../nodes/SocialPublishing/resources/media/upload';
import { planOf } from '../operations';

test('a file that is not there is refused first; where the run goes on, when it is its turn', async () => {
	const given = { binaryFields: 'photo' };
	await expect(planOf(upload, given, { missingFiles: ['photo'] })).rejects.toThrow('needs photo');
	const goingOn = { missingFiles: ['photo'], item: { continueOnFail: true } };
	expect((await planOf(upload, given, goingOn)).plan).toHaveProperty('files.0.source', 'photo');
});
