import { checkedAddress } from '../../../../nodes/SocialPublishing/media/files';
import { failureOf } from '../../../support/failure';

test.each(['photo.png?token=1', 'ftp://a.example/photo.png', 'web+http://a', 'https-a://a', ''])(
	'%j is no address of a file',
	(address) => {
		const { details } = failureOf(() => checkedAddress(address));
		expect(details).toMatchObject({ code: 'NODE_MEDIA_URL', hint: expect.stringContaining('https://') });
		expect(details.message).toMatch(/^'Media URLs' contains(?!.*token)/);
	},
);

test.each(['#N/A', '#REF!'])("a cell's error is quoted: %s", (cell) =>
	expect(() => checkedAddress(cell)).toThrow(`isn't a URL: ${cell}`),
);
