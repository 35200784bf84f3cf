import { countBy, groupBy, sortBy, trimEnd } from 'lodash';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { lists, platforms, titleOf, titles } from '../../api/contract';
import { Failure, toFailure } from '../../api/failure';
import { readAccounts, type Account } from '../../api/records';
import { lookUp, moreInService } from '../../shared/locator';

/** What a person sees of an account: "Lakeside Bakery · Instagram". */
export const accountLabel = ({ title, platform }: Pick<Account, 'title' | 'platform'>): string =>
	`${title} · ${titleOf(platform)}`;

/** Options that can be told apart: those of one name with what they stand for. */
function distinct(options: INodePropertyOptions[]): INodePropertyOptions[] {
	const counts = countBy(options, 'name');
	return options.map((one) =>
		counts[one.name] === 1 ? one : { ...one, name: `${one.name} (${String(one.value)})` },
	);
}

const nameOf = ({ title, isDisconnected }: Account): string =>
	isDisconnected ? `${title} (reconnect it)` : title;

/** Why there is nothing but platforms. The editor may ask before it has chosen the credential of a new node. */
const notLoaded = (context: ILoadOptionsFunctions, { message }: Failure): string =>
	context.getNode().credentials
		? `Accounts not loaded: ${trimEnd(message, '.')}. To try again, choose ⋮ → Refresh List.`
		: 'Accounts not loaded: select a credential. If one is selected, close this panel and open it again, or choose ⋮ → Refresh List.';

/**
 * The seven platforms of the spec, those with an account first; where the accounts can't be read, the first says why.
 * @param isEach whether each account of a platform with several is an option instead of the platform
 */
const platformOptions = (isEach: boolean) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const read = await lookUp(this, async (ask) => await ask(lists.accounts)).catch(toFailure);
		if (read instanceof Failure)
			return platforms.map((value, index) => ({
				...{ name: titles[value], value },
				description: index > 0 ? '' : notLoaded(this, read),
			}));
		const accounts = groupBy(readAccounts(read.records), 'platform');
		const options = sortBy(platforms, (one) => !(one in accounts)).flatMap((value) => {
			const onIt = accounts[value] ?? [];
			const title = titles[value];
			if (isEach && onIt.length > 1)
				return onIt.map((one) => ({ name: `${title}: ${nameOf(one)}`, value: `${value}:${one.id}` }));
			return [{ name: title, value, description: onIt.map(nameOf).join(', ') }];
		});
		return [...distinct(options), ...(read.hasMore ? [{ name: moreInService, value: '' }] : [])];
	};

export const getPlatforms = platformOptions(false);
export const getTargets = platformOptions(true);
