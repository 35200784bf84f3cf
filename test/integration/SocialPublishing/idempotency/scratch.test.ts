import fc from 'fast-check';
import { startService } from '../../../support/writes';
import { figures, sequence, violations } from '../../../support/writesModel';
test('scan', async () => {
	const service = await startService();
	const n = Number(process.env.MODEL_RUNS ?? 100);
	const all = fc.sample(sequence, { numRuns: n, seed: Number(process.env.MODEL_SEED ?? 7) });
	const kinds = new Map<string, number>(); let bad = 0; const examples: string[] = [];
	const t = Date.now();
	for (const one of all) {
		const w = await violations(service, one).catch((e) => ['THROWS ' + e.stack]);
		if (w.length) { bad++; if (examples.length < Number(process.env.SHOW ?? 6)) examples.push(JSON.stringify(one) + '\n   ' + w.join('\n   ')); }
		for (const x of new Set(w.map((s) => s.replace(/\d+/g, 'N').slice(0, 60)))) kinds.set(x, (kinds.get(x) ?? 0) + 1);
	}
	require('fs').writeFileSync('/tmp/w-scan.txt', `${bad} of ${n} wrong, ${Date.now() - t} ms ${JSON.stringify(figures)}\n${[...kinds].map(([k, v]) => v + ' ' + k).join('\n')}\n\n${examples.join('\n\n')}`);
	await service.close();
}, 600_000);
