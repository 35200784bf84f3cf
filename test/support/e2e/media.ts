import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { errorOf, itemsOf, type N8nClient } from '../../n8n/client';
import { accountOf } from '../../n8n/examples';
import type { Service } from '../../service';
import { bytes, startFiles } from '../fileServer';
import { posts } from '../store';
import { createParameters, manual, n8nNode, sideBySide, socialPublishing } from './flow';

/**
 * A file that n8n's HTTP Request node fetches and keeps, uploaded by every operation of ours that takes files: each uploads
 * what was fetched.
 * @returns n8n's ID of the file, which begins with the mode in which n8n keeps files
 */
export async function uploadEverywhere(n8n: N8nClient, service: Service): Promise<string> {
	const picture = randomBytes(3_000_000);
	const files = await startFiles();
	const url = files.on('/summer.png', bytes(picture));
	const options = { response: { response: { responseFormat: 'file' } } };
	const fetched = n8nNode('Fetch', 'httpRequest', 4.2, { url, options });
	const media = { resource: 'media', mediaFrom: 'binary', binaryFields: 'data' };
	const post = { platforms: ['facebook', 'x'], text: 'With a picture', mediaFrom: 'binary' };
	const takers = [
		socialPublishing({ ...media, operation: 'upload' }, {}, 'Upload'),
		socialPublishing({ ...media, operation: 'uploadDirect' }, {}, 'Direct'),
		socialPublishing(createParameters(post)),
	];
	const workflow = sideBySide('Media', [manual, fetched], takers);
	const id = await n8n.createWorkflow(workflow, await accountOf(n8n, service));
	const execution = await n8n.runWorkflow(id);
	assert.equal(errorOf(execution), undefined);
	await n8n.deleteWorkflow(id);
	await files.close();

	const [one, other] = posts(service);
	assert.equal(one.media.length, 1);
	assert.deepEqual(other.media, one.media);
	const uploads = ['Upload', 'Direct'].map((name) => itemsOf(execution, name)[0]);
	for (const address of [...uploads.map(({ read_url }) => read_url), one.media[0]])
		assert.deepEqual(Buffer.from(await (await fetch(address)).arrayBuffer()), picture);
	return execution.data.resultData.runData.Fetch[0].data.main[0][0].binary.data.id;
}
