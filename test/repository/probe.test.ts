import { probe, rows } from '../../tools/probe';
import { addWebhook, says, useService } from '../support/service';

const service = useService({ seed: 'demo', inlineDelaysMs: [0], speed: 0 });
const probed = async (key = service().keys.full) =>
	await probe({ url: service().url, key, workspace: 'ws_main' });

test('a service that is as assumed: each row says so, or that there is nothing to see; nothing is written', async () => {
	addWebhook(service());
	const found = await probed();
	expect(found.map(({ row }) => row)).toEqual(rows.map(([row]) => row));
	const differing = found.filter(({ verdict }) => verdict === 'differs');
	expect(differing).toEqual([]);
	expect(found.filter(({ verdict }) => verdict === 'as assumed').length).toBeGreaterThan(10);
	expect(new Set(service().requests.map(({ method }) => method))).toEqual(new Set(['GET']));
});

test('what differs, and what can not be read, is said', async () => {
	says(service(), { 'GET /accounts': [{ id: 'acc_main_x', platform: '' }] });
	const verdicts = Object.fromEntries((await probed()).map(({ row, verdict }) => [row, verdict]));
	expect(verdicts).toMatchObject({ 13: 'as assumed', 14: 'differs' });
	for (const { verdict } of await probed(service().keys.expired)) expect(verdict).toMatch(/^not seen: /);
});
