import { countBy, groupBy, map, sortBy } from 'lodash';
import type { ILoadOptionsFunctions, INodePropertyOptions } from 'n8n-workflow';

import { lists, platforms, titleOf, titles } from '../../api/contract';
import { Failure, toFailure } from '../../api/failure';
import { factOf, readAccounts, type Account, type Accounts } from '../../api/records';
import { filled } from '../../api/texts';
import { lookUp } from '../../shared/locator';

/** What a person sees of an account: "Lakeside Bakery · Instagram". */
export const accountLabel = ({ title, platform }: Account): string =>
	filled([title, 'is' in platform ? titleOf(platform.is) : platform.unclear]).join(' · ');

/** Options that can be told apart: those of one name with what they stand for. */
function distinct(options: INodePropertyOptions[]): INodePropertyOptions[] {
	const counts = countBy(options, 'name');
	return options.map((one) =>
		counts[one.name] === 1 ? one : { ...one, name: `${one.name} (${String(one.value)})` },
	);
}

const accountsIn = async (context: ILoadOptionsFunctions): Promise<Accounts> =>
	readAccounts(await lookUp(context, async (ask) => await ask(lists.accounts)));

/**
 * The seven platforms of the spec, those with a connected account first; where the accounts can't be read, the first says why.
 * @param isEach whether each account of a platform with several is an option instead of the platform
 */
const platformOptions = (isEach: boolean) =>
	async function (this: ILoadOptionsFunctions): Promise<INodePropertyOptions[]> {
		const read = await accountsIn(this).catch(toFailure);
		if (read instanceof Failure)
			return platforms.map((value, index) => ({
				...{ name: titles[value], value },
				description:
					index > 0 ? '' : `Accounts not loaded: ${read.message}. To try again, choose ⋮ → Refresh List.`,
			}));
		const { all, unclear } = read;
		const accountsOf = groupBy(
			all.filter(({ connected }) => factOf(connected) !== false),
			({ platform }) => factOf(platform),
		);
		const options = sortBy(platforms, (one) => !(one in accountsOf)).flatMap((value) => {
			const connected = accountsOf[value] ?? [];
			const title = titles[value];
			const withId = connected.filter(({ id }) => id !== undefined);
			if (isEach && withId.length > 1)
				return withId.map((one) => ({ name: `${title}: ${one.title}`, value: `${value}:${one.id}` }));
			const isMissing = connected.length === 0 && unclear.length === 0;
			const description = connected.length > 0 ? map(connected, 'title').join(', ') : unclear.join(', ');
			return [{ name: isMissing ? `${title} (not connected)` : title, value, description }];
		});
		return distinct(options);
	};

export const getPlatforms = platformOptions(false);
export const getTargets = platformOptions(true);
