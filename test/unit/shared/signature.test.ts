import { derivedSecret, signatureOf } from '../../../nodes/shared/signature';
import * as second from '../../support/signing';

const url = 'https://n8n.example.com/webhook/1/webhook';

/** Known answers for deliveries, and millions of forged ones: `SocialPublishingTrigger/delivery.test.ts`. */

test('a signature is what a second implementation of the spec makes of time and body', () => {
	const { NOW, KNOWN, timestampAt } = second;
	const time = timestampAt(NOW);
	for (const body of ['', '{"id":"é"}', Buffer.from([0xff, 0x00])])
		expect(signatureOf(KNOWN, time, body)).toBe(second.signatureOf(KNOWN, time, Buffer.from(body as string)));
});

test('the secret that is offered to the service depends on key and address alone, and tells neither', () => {
	const secret = derivedSecret('example-key', url);
	// A change would make every subscription that n8n has lost the secret of unknown.
	expect(secret).toBe('c90b242124fab8850a50768eb9a84345b96e4b17b071ffbd53e7ccdc415d9b0c');
	expect(derivedSecret('another-example-key', url)).not.toBe(secret);
	expect(derivedSecret('example-key', `${url}2`)).not.toBe(secret);
	// As the key is sent.
	expect(derivedSecret(' Bearer example-key\n', url)).toBe(secret);
});

test.each([
	...['', '  ', 'Bearer ', undefined, null, 'undefined', 'null', 'NaN', 'Bearer undefined', 'short'],
	...[{}, '[object Object]', true, ['example-key']],
])('no secret is made from %j', (key) => expect(derivedSecret(key, url)).toBeUndefined());

test.each(['sixsix', 1234567, 'my-undefined', 'undefined-key', 'bearer-key'])(
	'a secret is made from %j',
	(key) => expect(derivedSecret(key, url)).toMatch(/^[0-9a-f]{64}$/),
);
