import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { bare, dialectOf, differences, today } from './dialect';
import { startService } from './index';

const HELP = `npm run service -- [options]

  --port 4010      default: 4010; 0 = any free one
  --host 127.0.0.1
  --seed demo      demo (default) or basic
  --speed 60       service seconds per real second, default 1
  --dialect bare   where the specification shows nothing: today (default), bare, random or a seed`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '4010' },
			host: { type: 'string', default: '127.0.0.1' },
			seed: { type: 'string', default: 'demo' },
			speed: { type: 'string', default: '1' },
			dialect: { type: 'string', default: 'today' },
			help: { type: 'boolean', default: false },
		},
	});
	const { host, seed } = values;
	const port = Number(values.port);
	const speed = Number(values.speed);
	const dialectSeed = values.dialect === 'random' ? randomInt(1e9) : Number(values.dialect);
	const dialect = { today, bare }[values.dialect] ?? (dialectSeed >= 0 && dialectOf(dialectSeed));
	const isWrong = !(port >= 0 && speed >= 0 && dialect) || (seed !== 'demo' && seed !== 'basic');
	if (values.help || isWrong) {
		console.log(HELP);
		process.exitCode = values.help ? 0 : 2;
		return;
	}
	const service = await startService({ port, host, seed, speed, dialect });
	console.log(`Embedded service   ${service.url}`);
	console.log(`  API              ${service.apiUrl}`);
	console.log(`  Page             ${service.url}/`);
	console.log(`  API key          ${service.keys.full}`);
	console.log(`  Workspace        ws_main`);
	console.log(`  Clock            ${speed} service second(s) per second`);
	const name = dialect === today || dialect === bare ? values.dialect : `seed ${dialectSeed}`;
	console.log(`  Dialect          ${name} ${JSON.stringify(dialect === today ? {} : differences(dialect))}`);
	console.log('Press Ctrl-C here to stop it.');
	const end = () => void service.close().then(() => process.exit(0));
	process.once('SIGINT', end);
	process.once('SIGTERM', end);
}

main().catch((error: NodeJS.ErrnoException) => {
	console.error(
		error.code === 'EADDRINUSE'
			? 'This port is taken. Choose another one, such as npm run service -- --port 4011'
			: error,
	);
	process.exit(1);
});
