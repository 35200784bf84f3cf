import {
	chosenOperation,
	operation,
	type Resource,
} from '../../../../nodes/SocialPublishing/engine/operation';
import { failureOf } from '../../../support/failure';

/** The types of parameters are checked where operations use them. */

const named = (value: string, ...operations: string[]): Resource => ({
	name: value,
	value,
	operations: operations.map((one) => ({ value: one }) as never),
});

const table = [named('a', 'x'), named('b', 'x', 'y')];
const chosen = (resource: string, operation: string) => {
	const getNodeParameter = (name: string) => ({ resource, operation })[name];
	return chosenOperation({ getNodeParameter, getNode: () => ({ name: 'Node' }) } as never, table);
};

test('the operation that the node is set to', () => {
	expect(chosen('b', 'y')).toBe(table[1]!.operations[1]);
});

test.each(['a', 'c'])('one that the node does not have, of %s', (resource) => {
	expect(failureOf(() => chosen(resource, 'canceled'))).toMatchObject({
		message: `This version of the node has no operation 'cancelled' of '${resource}'`,
		description: expect.stringContaining('update the package'),
		context: { data: { code: 'NODE_OPERATION' } },
	});
});

test('one that names no method reads', () => {
	const words = { name: 'Get', value: 'get', action: 'Get thing', description: 'Get a thing', fields: [] };
	expect(operation(words)).toEqual({ ...words, method: 'GET', options: [] });
	expect(operation({ ...words, method: 'POST' }).method).toBe('POST');
});
