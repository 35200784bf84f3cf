import type { IDataObject } from 'n8n-workflow';
import { DateTime } from 'luxon';

import { timeOf } from '../../api/paging';

/** A list of the service from which a record can be picked: in the editor, and by name where an ID is asked for. */
export interface Directory {
	path: string;
	/** Asked for without a workspace. */
	everywhere?: true;
	/** What a person sees of a record. */
	label: (record: IDataObject) => string;
	/** What a person may write instead of the record's ID. */
	names: (record: IDataObject) => string[];
}

const EXCERPT = 60;

/** The beginning of a text, in one line. */
export function excerpt(text: unknown): string {
	const line = typeof text === 'string' ? text.replace(/\s+/g, ' ').trim() : '';
	return line.length > EXCERPT ? `${line.slice(0, EXCERPT - 1).trimEnd()}…` : line;
}

const filled = (values: unknown[]): string[] =>
	values.filter((value) => typeof value === 'string' && value.trim() !== '') as string[];

const authorOf = ({ author }: IDataObject): string[] => {
	if (typeof author !== 'object' || author === null) return filled([author]);
	const { name, username } = author as IDataObject;
	return filled([name, username]);
};

/** Fields of accounts, workspaces and inbox items are not shown in the spec: each is used where it is there. */
export const accounts: Directory = {
	path: '/accounts',
	label: ({ id, name, username, platform }) => filled([name ?? username ?? id, platform]).join(' · '),
	names: ({ name, username, platform }) =>
		filled([name, username]).flatMap((one) => [one, `${one} · ${String(platform)}`]),
};

/** By the search method of the locators that pick from them. */
export const directories: Readonly<Record<string, Directory>> = {
	searchInboxItems: {
		path: '/inbox',
		label: (item) => filled([authorOf(item)[0], excerpt(item.text), item.platform]).join(' · '),
		names: authorOf,
	},
	searchWebhooks: {
		path: '/webhooks',
		label: ({ description, url }) => filled([description, url]).join(' · '),
		names: ({ description, url }) => filled([description, url]),
	},
	searchWorkspaces: {
		path: '/workspaces',
		everywhere: true,
		label: ({ id, name }) => String(name ?? id),
		names: ({ name }) => filled([name]),
	},
};

/** What a person sees of a post; its time in `zone`. */
export function postLabel(post: IDataObject, zone: string): string {
	const { text, content, status, platform, platforms } = post;
	const words = text ?? (typeof content === 'object' ? (content as IDataObject | null)?.text : content);
	const named =
		platform ?? (Array.isArray(platforms) ? platforms.filter((one) => typeof one === 'string') : []);
	const time = DateTime.fromMillis(timeOf(post), { zone });
	return filled([
		excerpt(words) || String(post.id),
		[named].flat().join(', '),
		status,
		time.isValid ? time.toFormat('yyyy-LL-dd HH:mm') : '',
	]).join(' · ');
}
