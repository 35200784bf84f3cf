import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { errorOf, itemsOf, type N8nClient } from '../../n8n/client';
import { accountOf } from '../../n8n/examples';
import type { Service } from '../../service';
import { bytes, startFiles } from '../fileServer';
import { posts } from '../store';
import { createParameters, manual, sideBySide, socialPublishing } from './flow';

/**
 * A file that n8n's HTTP Request node fetches and keeps, uploaded by every operation of ours that takes files: each uploads
 * what was fetched.
 * @returns n8n's ID of the file, which begins with the mode in which n8n keeps files
 */
export async function uploadEverywhere(n8n: N8nClient, service: Service): Promise<string> {
	const picture = randomBytes(3_000_000);
	const files = await startFiles();
	const address = files.on('/summer.png', bytes(picture));
	const media = (name: string, operation: string, more: Record<string, unknown>) =>
		socialPublishing({ resource: 'media', operation, ...more }, {}, name);
	const fetched = {
		name: 'Fetch',
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: { url: address, options: { response: { response: { responseFormat: 'file' } } } },
	};
	const takers = [
		media('Upload', 'upload', { mediaFrom: 'binary', binaryFields: 'data' }),
		media('From address', 'upload', { mediaFrom: 'url', mediaUrls: address }),
		media('Direct', 'uploadDirect', { binaryFields: 'data' }),
		media('Ask', 'createUploadUrl', { fileName: 'a.png', contentType: 'image/png', size: 10 }),
		socialPublishing(
			createParameters({ platforms: ['facebook', 'x'], text: 'With a picture', mediaFrom: 'binary' }),
		),
	];
	const workflow = sideBySide('Media', [manual, fetched], takers);
	const id = await n8n.createWorkflow(workflow, await accountOf(n8n, service));
	const execution = await n8n.runWorkflow(id);
	assert.equal(errorOf(execution), undefined);
	await n8n.deleteWorkflow(id);
	await files.close();

	for (const name of ['Upload', 'From address', 'Direct']) {
		const [one] = itemsOf(execution, name);
		assert.deepEqual([one.filename, one.content_type, one.size], ['summer.png', 'image/png', picture.length]);
		assert.deepEqual(Buffer.from(await (await fetch(one.read_url)).arrayBuffer()), picture);
	}
	assert.match(itemsOf(execution, 'Ask')[0].upload_url, /signature=/);
	const [one, other] = posts(service);
	assert.equal(one.media.length, 1);
	assert.deepEqual(other.media, one.media);
	assert.equal(service.store.media.size, 5);
	return execution.data.resultData.runData.Fetch[0].data.main[0][0].binary.data.id;
}
