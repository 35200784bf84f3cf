// Ends what its parent started once the parent is gone, however it went: on `kill -9` too.
// The parent holds the other end of stdin and writes one JSON line a change:
// {"add":"group","value":123}, {"add":"folder","value":"…"}, {"drop":…}. When stdin closes, groups are killed, folders removed.
const { rmSync } = require('node:fs');
const { createInterface } = require('node:readline');

const owned = { group: new Set(), folder: new Set() };
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => {});

function signalAll(signal) {
	for (const group of owned.group) {
		try {
			process.kill(-group, signal);
		} catch {
			owned.group.delete(group);
		}
	}
}

const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => {
	const { add, drop, value } = JSON.parse(line);
	if (add) owned[add].add(value);
	else owned[drop].delete(value);
});
lines.on('close', () => {
	const deadline = Date.now() + 8000;
	signalAll('SIGTERM');
	const timer = setInterval(() => {
		signalAll(Date.now() > deadline ? 'SIGKILL' : 0);
		if (owned.group.size > 0 && Date.now() < deadline + 4000) return;
		clearInterval(timer);
		for (const folder of owned.folder) rmSync(folder, { recursive: true, force: true });
	}, 200);
});
