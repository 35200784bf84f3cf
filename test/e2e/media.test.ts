import { uploadEverywhere } from '../support/e2e/media';
import { useScene } from './shared';

/** In database mode: queue-mode.test.ts. In memory: test/integration/SocialPublishing/media/uploads.test.ts. */
describe('media in a real n8n', () => {
	const scene = useScene();

	test('file-system mode: what is uploaded is what was fetched, everywhere', async () => {
		expect(await uploadEverywhere(scene.n8n, scene.service)).toMatch(/^filesystem-v2:/);
	});
});
