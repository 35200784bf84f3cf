import { uploadUrl } from '../../../api/schema';
import { operation } from '../../engine/operation';

/** Spec: `POST /media/upload-url`. Its fields are not shown there: the names are our choice. */
export const createUploadUrl = operation({
	name: 'Create Upload URL',
	value: 'createUploadUrl',
	action: 'Create upload URL for media',
	description: 'Get a signed address that something else can upload one file to, and the read_url for posts',
	method: 'POST',
	fields: [
		{
			displayName: 'File Name',
			name: 'fileName',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. photo.jpg',
			description: 'Name of the file that will be uploaded',
		},
		{
			displayName: 'Content Type',
			name: 'contentType',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. image/jpeg',
			description: 'Media type of the file, an image or a video',
		},
		{
			displayName: 'Size',
			name: 'size',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: 1,
			required: true,
			description: 'Exact length of the file in bytes',
		},
	],
	request: ({ fileName, contentType, size }) => ({
		path: '/media/upload-url',
		body: { filename: fileName, content_type: contentType.trim().toLowerCase(), size },
		secret: true,
	}),
	output: uploadUrl,
});
