// Installs the development dependencies when the lock file changed since the last time, so that
// `npm start` and `npm test` work as the first command in a fresh clone and cost nothing after that.
const { execSync } = require('node:child_process');
const { createHash } = require('node:crypto');
const { existsSync, lstatSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const root = join(__dirname, '..');
const stamp = join(root, 'node_modules', '.lock-hash');
const wanted = createHash('sha256')
	.update(readFileSync(join(root, 'package-lock.json')))
	.digest('hex');

const modules = join(root, 'node_modules');
// `npm ci` would empty what a link points to: another checkout's dependencies.
const linked = existsSync(modules) && lstatSync(modules).isSymbolicLink();

if (!linked && (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted)) {
	console.log('Installing the development dependencies (about a minute, once) ...');
	execSync('npm ci --no-audit --no-fund --loglevel=error', { cwd: root, stdio: 'inherit' });
	writeFileSync(stamp, wanted);
}
