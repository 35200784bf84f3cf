import { refusal } from '../../../api/failure';
import { canonicalPlatform, titleOf } from '../../../api/platforms';
import { checkPlatforms } from './targets';

/** An entry of *Text per Platform*. */
interface OwnText {
	platform: string;
	text: string;
}

/**
 * Texts of some platforms, by platform.
 * @param chosen the platforms that the post goes to, where a text for another one is a mistake
 * @throws Failure naming the platform
 */
export function textsOf(given: OwnText[] = [], chosen?: string[]): Map<string, string> {
	const label = 'Text per Platform';
	const texts = given
		.map(({ platform = '', text = '' }) => ({ platform, text }))
		.filter(({ text }) => text !== '');
	const names = texts.map(({ platform }) => platform);
	checkPlatforms(names, label);
	const named = names.map(canonicalPlatform);
	const twice = named.find((name, position) => named.indexOf(name) !== position);
	if (twice !== undefined)
		throw refusal(
			'PLATFORM_TEXT',
			`'${label}' has two texts for ${titleOf(twice)}`,
			`Keep one of them in '${label}'; twitter and x are one platform.`,
		);
	const goesTo = chosen?.map(canonicalPlatform);
	const lost = names.find((name) => goesTo && !goesTo.includes(canonicalPlatform(name)));
	if (lost !== undefined)
		throw refusal(
			'PLATFORM_TEXT',
			`'${label}' has a text for ${titleOf(canonicalPlatform(lost)) || 'no platform'}, which the post does not go to`,
			`Choose the platform for the post, too, or delete its entry in '${label}'.`,
		);
	return new Map(texts.map(({ platform, text }) => [canonicalPlatform(platform), text]));
}
