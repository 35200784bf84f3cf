import { observeExchanges } from '../service/pipeline';
import { Contract } from './contract';

/** In each integration test file, what n8n sends to the service, and each of its answers, is held against docs/openapi.yaml. */

let contract: Contract | undefined;
const wrong = new Set<string>();

observeExchanges((exchange) => {
	contract ??= new Contract();
	const ofN8n = !/^(node|undici)/.test(String(exchange.headers['user-agent'] ?? 'node'));
	// A request that the service refused for what it says was meant to be refused.
	const found = [
		...(ofN8n && exchange.status !== 400 && exchange.status !== 404 ? contract.ofRequest(exchange) : []),
		...contract.ofAnswer(exchange),
	];
	for (const one of found) wrong.add(`${exchange.method} ${exchange.path}: ${one}`);
});

afterAll(() => {
	const all = [...wrong];
	wrong.clear();
	expect(all).toEqual([]);
});
