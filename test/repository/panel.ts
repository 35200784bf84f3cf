import { SocialPublishingApi } from '../../credentials/SocialPublishingApi.credentials';
import { SocialPublishing } from '../../nodes/SocialPublishing/SocialPublishing.node';
import { SocialPublishingTrigger } from '../../nodes/SocialPublishingTrigger/SocialPublishingTrigger.node';

/** All that has a name in the panel: fields at any depth, their choices; sections of a field have none. */
function shownIn(value: unknown, found = new Set<string>()): Set<string> {
	if (typeof value !== 'object' || value === null) return found;
	const { displayName, name, value: choice, values } = value as Record<string, unknown>;
	if (typeof displayName === 'string' && values === undefined) found.add(displayName);
	if (typeof name === 'string' && choice !== undefined) found.add(name);
	for (const inner of Object.values(value)) shownIn(inner, found);
	return found;
}

/** Every name that the panels of the nodes and the credential show. */
export const panelNames = (): Set<string> =>
	shownIn([new SocialPublishing(), new SocialPublishingTrigger(), new SocialPublishingApi()]);
