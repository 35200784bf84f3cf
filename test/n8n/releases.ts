/** The n8ns that the package is tested in: `npm test` takes the locked one, test/e2e/releases.test.ts each of them. */

export interface Release {
	version: string;
	/**
	 * How its modules lie: `npm` flat, as `npm install n8n` makes it; `pnpm` with n8n as the root project, as in its
	 * image: a community package then finds what n8n names itself, not what its dependencies depend on.
	 */
	layout: 'npm' | 'pnpm';
	/** Versions of its dependencies that a registry may lack, or that are too new for it, each with one that fits. */
	overrides: Record<string, string>;
	/** `npm`: peers that would be taken in a version that does not fit, since peers are not looked at. */
	peers?: Record<string, string>;
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
const releases: Release[] = [
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
		peers: { '@opentelemetry/core': '2.6.0' },
	},
	lockedRelease,
	{ version: '2.41.1', layout: 'pnpm', overrides: since220 },
];

export const nameOf = ({ version, layout }: Release): string => `${version} ${layout}`;

/** Only test/e2e/releases.test.ts runs. */
export const isOtherRelease = Boolean(process.env.N8N_RELEASE || process.env.N8N_FOLDER);

/**
 * The release that `N8N_RELEASE` names, by the start of its version and layout ("1.123.81 npm", or "latest"), or that lies in the
 * folder `N8N_FOLDER`; without either the locked one.
 */
export function wantedRelease(): Release {
	const { N8N_RELEASE, N8N_FOLDER } = process.env;
	if (N8N_FOLDER) return { version: 'installed', layout: 'pnpm', overrides: {}, folder: N8N_FOLDER };
	if (!N8N_RELEASE) return lockedRelease;
	if (N8N_RELEASE === 'latest') return { version: 'latest', layout: 'npm', overrides: everywhere };
	const found = releases.find((one) => nameOf(one).startsWith(N8N_RELEASE));
	if (!found) throw new Error(`No such n8n: ${N8N_RELEASE}. Known: ${releases.map(nameOf).join(', ')}`);
	return found;
}
