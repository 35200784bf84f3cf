import { canonicalPlatform, isPlatform, lists, shownPlatform } from '../../../api/contract';
import { factOf, likelyPlatform, readAccount } from '../../../api/records';
import { operation } from '../../engine/operation';
import { filtersField, limit, platformFilter, returnAll } from '../fields';
import { withFirst } from '../../engine/tables';

/** Spec: `GET /accounts`. It has no query for the platform, so the filter is applied here. */
export const getAll = operation({
	name: 'Get Many',
	value: 'getAll',
	action: 'Get many accounts',
	description: 'Retrieve the connected social accounts of the workspace',
	fields: [returnAll, limit, { ...filtersField, options: [platformFilter] }],
	request: () => lists.accounts,
	filters: ({ filters: { platform } }) => {
		const wanted = platform && canonicalPlatform(platform);
		return { 'Platform Name or ID': [(one) => likelyPlatform(one.platform, wanted), wanted, isPlatform] };
	},
	rows: (accounts) =>
		accounts.map((record) => {
			const { id = null, platform: given } = record;
			const { name = null, handle = null, connected: state } = readAccount(record);
			const platform = typeof given === 'string' ? shownPlatform(given) : null;
			return withFirst({ platform, name, handle, connected: factOf(state) ?? null, id }, record);
		}),
});
