import { getGlobalState } from 'n8n-workflow';

/** The workflow's time zone, an IANA name. n8n's API may leave `DEFAULT` in a workflow: the zone of this n8n. */
export function timeZoneOf(context: { getTimezone(): string }): string {
	const zone = context.getTimezone();
	return zone === 'DEFAULT' ? getGlobalState().defaultTimezone : zone;
}
