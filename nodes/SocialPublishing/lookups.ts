import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { platforms } from '../api/contract';

/** Platforms for a dropdown. */
export async function getPlatforms(this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
	return platforms.map((platform) => ({ name: platform, value: platform }));
}
