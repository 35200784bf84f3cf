import type { IDataObject } from 'n8n-workflow';

/** The platforms of a post, or of a request for one, in either form of the spec ("Post (input on create)"). */
export const platformsOf = ({ platform, platforms }: IDataObject): string[] =>
	[platform ?? platforms ?? []]
		.flat()
		.map((one) => (typeof one === 'string' ? one : (one as IDataObject | null)?.platform))
		.filter((name): name is string => typeof name === 'string');

/** What a post, or a request for one, says, in either form. */
export function textOf({ text, content }: IDataObject): string | undefined {
	const said = text ?? (typeof content === 'object' ? (content as IDataObject | null)?.text : content);
	return typeof said === 'string' ? said : undefined;
}
