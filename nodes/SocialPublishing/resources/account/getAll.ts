import { canonicalPlatform, isPlatform, lists, platforms } from '../../../api/contract';
import { refusal } from '../../../api/failure';
import { visible } from '../../../api/texts';
import { operation } from '../../engine/operation';
import { withColumns } from '../../engine/tables';
import { filtersField, limit, platformFilter, returnAll } from '../fields';

/** Spec: `GET /accounts`. It has no query for the platform, so the filter is applied here. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many accounts',
	description: 'Retrieve the connected social accounts of the workspace',
	fields: [returnAll, limit, { ...filtersField, options: [platformFilter] }],
	request: ({ filters: { platform } }) => {
		if (!platform || isPlatform(platform)) return { ...lists.accounts, most: Infinity };
		throw refusal(
			'PLATFORM',
			`'${visible(platform)}' isn't a platform`,
			`Platforms are: ${platforms.join(', ')}.`,
		);
	},
	rows: (accounts, { filters: { platform } }) => {
		const wanted = accounts.filter((one) => !platform || isOn(one.platform, canonicalPlatform(platform)));
		return withColumns(wanted, ['platform', 'name', 'id']);
	},
});

const isOn = (value: unknown, platform: string): boolean =>
	typeof value === 'string' && canonicalPlatform(value) === platform;
