/** The n8ns that the package is driven in by `npm run compat`. */

export interface Release {
	version: string;
	/**
	 * How its modules lie: `npm` flat, as `npm install n8n` makes it; `pnpm` with n8n as the root project, as in its
	 * image: a community package then finds what n8n names itself, not what its dependencies depend on.
	 */
	layout: 'npm' | 'pnpm';
	/** Versions of its dependencies that a registry may lack, or that are too new for it, each with one that fits. */
	overrides: Record<string, string>;
	/** `pnpm`: what n8n itself requires without naming it, put where it finds it. */
	hoisted?: string[];
	/** Where somebody else has installed it: the folder of package n8n itself. */
	folder?: string;
	/** Installed as the lock file of `test/n8n/host` says, which has its own overrides. */
	locked?: true;
}

/** What `npm test`, the demo and the benchmark run in. */
export const lockedRelease: Release = { version: '2.41.1', layout: 'npm', overrides: {}, locked: true };

const everywhere = { xlsx: '0.18.5' };
const since2 = { ...everywhere, linkedom: '0.18.12', '@langchain/protocol': '0.0.19' };
const since220 = {
	...since2,
	'@langchain/langgraph-checkpoint': '1.1.5',
	'@langchain/langgraph@^1.1.2': '1.2.9',
};

/** The oldest first. */
export const releases: Release[] = [
	{
		version: '1.123.81',
		layout: 'npm',
		overrides: { ...everywhere, '@langchain/langgraph-checkpoint': '1.0.3' },
	},
	{
		version: '2.0.3',
		layout: 'pnpm',
		overrides: { ...since2, '@langchain/langgraph-checkpoint': '1.0.3' },
		hoisted: ['@modelcontextprotocol/sdk', 'csv-parse', 'fflate', 'moment-timezone', 'multer', 'zod-class'],
	},
	{
		version: '2.20.12',
		layout: 'npm',
		overrides: { ...since220, '@langchain/langgraph-checkpoint': '1.0.3' },
	},
	lockedRelease,
	{ version: '2.41.1', layout: 'pnpm', overrides: since220 },
];

export const nameOf = ({ version, layout }: Release): string => `${version} ${layout}`;
