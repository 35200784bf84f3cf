import { inMemory, itemWith } from '../../../support/binaries';
import { describeOperation } from './frame';

const content = Buffer.from('a small picture');
const item = () => itemWith({ data: inMemory('photo.png', 'image/png', content) });

describeOperation('media.createUploadUrl', {
	endpoint: 'POST /media/upload-url',
	parameters: () => ({ fileName: 'photo.png', contentType: 'image/png', size: 15 }),
	sent: { body: { filename: 'photo.png', content_type: 'image/png', size: 15 } },
	answer: ({ json }) => {
		expect(json).toHaveLength(1);
		expect(json[0]).toMatchObject({ upload_url: expect.any(String), read_url: expect.any(String) });
	},
});

describeOperation('media.upload', {
	endpoint: 'POST /media/upload-url',
	item,
	parameters: () => ({}),
	sent: { body: { filename: 'photo.png', content_type: 'image/png', size: content.length } },
	answer: ({ json }, service) => {
		expect(json).toEqual([expect.objectContaining({ read_url: expect.any(String), filename: 'photo.png' })]);
		const [stored] = service.store.media.values();
		expect(stored!.bytes).toEqual(content);
	},
});

describeOperation('media.uploadDirect', {
	endpoint: 'POST /media',
	item,
	parameters: () => ({}),
	sent: {},
	answer: ({ json }, service) => {
		expect(json).toEqual([expect.objectContaining({ read_url: expect.any(String) })]);
		const [stored] = service.store.media.values();
		expect(stored!.bytes).toEqual(content);
	},
});
