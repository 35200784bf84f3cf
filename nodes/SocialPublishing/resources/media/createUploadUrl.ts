import { operation } from '../../engine/operation';

/** Spec: `POST /media/upload-url`. The names of its fields are our choice: row 18 of docs/spec-gaps.md. */
export const createUploadUrl = operation({
	name: 'Create Upload URL',
	value: 'createUploadUrl',
	action: 'Create media upload URL',
	description: 'Create a signed URL to upload a file to, and the read_url to use it in posts',
	method: 'POST',
	keepsNothing: true,
	duplicates: {
		execution: ['When I Retry', 'Retrying an execution creates no second URL. Each new run creates one.'],
		custom: ['My Own ID', 'One URL is created for each ID that you provide'],
	},
	fields: [
		{
			displayName: 'File Name',
			name: 'fileName',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. photo.jpg',
			description: 'Name of the file to upload',
		},
		{
			displayName: 'Content Type',
			name: 'contentType',
			type: 'string',
			default: '',
			required: true,
			placeholder: 'e.g. image/jpeg',
			description: 'MIME type of the file, an image or a video',
		},
		{
			displayName: 'Size',
			name: 'size',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			// No file's: one that nobody entered is refused.
			default: 0,
			required: true,
			description: 'Exact size of the file in bytes',
		},
	],
	request: ({ fileName, contentType, size }) => ({
		path: '/media/upload-url',
		body: { filename: fileName, content_type: contentType.trim().toLowerCase(), size },
	}),
});
