/** Where an n8n gives less than the newest does, and why: a row that finds exactly this is no failure. */
interface Exception {
	/** How the rows' names start. */
	rows: string[];
	/** Of n8ns older than this; `from`: of this and newer. */
	below?: string;
	from?: string;
	/** What the row finds then. */
	finds: RegExp;
	why: string;
}

export const exceptions: Exception[] = [
	{
		rows: ['Stopped while sending', 'The same with Same Text and Time'],
		below: '2.41.0',
		finds: /^\d+ not sent, the retry says success and did not run the node$/,
		why: 'A limit of n8n: it removes a node from its list when it starts it, and keeps the list as it is when an execution is stopped. The retry finds nothing left to do and reports success. Nothing is sent twice. To send what is missing, run the workflow again with *Same Text and Time* or *My Own ID*.',
	},
	{
		rows: ['kill -9 while sending'],
		below: '2.14.0',
		finds: /^\d+ twice, the node says so$/,
		why: 'Before 2.14, n8n passes nothing to the retry of a crashed execution that distinguishes it from a new one (see below). The node shows a hint that says what to do. *Same Text and Time* and *My Own ID* need no memory: see the next row.',
	},
	{
		rows: ['Trigger: a copy at the same address'],
		from: '2.0.0',
		below: '2.10.0',
		finds: /^n8n publishes it, too$/,
		why: "A limit of n8n: it gives the copy the address of the first workflow, which then gets nothing more. 1.123 and 2.10 refuse the copy. The trigger's log says that a copy of the node uses its address, and what to do.",
	},
	{
		rows: ['Trigger: published with a key that is refused'],
		from: '2.40.0',
		finds: /^n8n answers success, shows it as active$/,
		why: 'A limit of n8n: it publishes in the background and answers before the trigger has subscribed.',
	},
];

export const isBelow = (version: string, other: string): boolean =>
	version.localeCompare(other, 'en', { numeric: true }) < 0;

export const exceptionFor = (row: string, version: string, found: string): Exception | undefined =>
	exceptions.find(
		({ rows, below, from, finds }) =>
			rows.some((start) => row.startsWith(start)) &&
			(!below || isBelow(version, below)) &&
			(!from || !isBelow(version, from)) &&
			finds.test(found),
	);
