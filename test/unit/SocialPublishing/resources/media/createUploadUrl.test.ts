import { createUploadUrl } from '../../../../../nodes/SocialPublishing/resources/media/createUploadUrl';
import { requestOf } from '../operations';

test('asks with what is known of the file; the answer may not be stored', () => {
	expect(requestOf(createUploadUrl, { fileName: 'a.png', contentType: ' Image/PNG ', size: 7 })).toEqual({
		path: '/media/upload-url',
		body: { filename: 'a.png', content_type: 'image/png', size: 7 },
		keepsNothing: true,
	});
});
