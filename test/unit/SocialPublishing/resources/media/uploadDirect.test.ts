import { uploadDirect } from '../../../../../nodes/SocialPublishing/resources/media/uploadDirect';
import { checkOf, runOf } from '../operations';

test('each file is sent, one after another', async () => {
	let running = 0;
	const direct = async (file: string) => {
		expect(running++).toBe(0);
		await Promise.resolve();
		running--;
		return { file };
	};
	const { outcomes } = await runOf(
		uploadDirect,
		{ binaryFields: 'b, a' },
		{ item: { uploads: { direct } as never } },
	);
	expect(outcomes).toEqual([{ file: 'b' }, { file: 'a' }]);
});

test('a file that is not there is refused first; where the run goes on, when it is its turn', () => {
	const given = { binaryFields: 'photo' };
	expect(() => checkOf(uploadDirect, given)).toThrow('needs photo');
	expect(() => checkOf(uploadDirect, given, { continueOnFail: true })).not.toThrow();
});
