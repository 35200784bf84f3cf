import type { Resource } from '../../engine/operation';
import { createUploadUrl } from './createUploadUrl';
import { upload } from './upload';
import { uploadDirect } from './uploadDirect';

export const media: Resource = {
	name: 'Media',
	value: 'media',
	operations: [upload, uploadDirect, createUploadUrl],
};
