import { readAnswer } from '../../nodes/api/answers';
import { Failure, redacted } from '../../nodes/api/failure';
import { redactor, withoutSignedQueries } from '../../nodes/api/redaction';
import { type Measure, row, sized } from '../figures';

/** What a careless regular expression would begin anew at each character. */
const texts = [
	...['\\', '%25', '&amp;', '&#0', '&#38;#38;', '&#x0', 'sk_live_', 'c2tf'],
	...['"', 'http://', '?http://', 'http://a?sig=1 ', 'content": '],
];
const redact = redactor([
	'\\'.repeat(40) + 'x',
	'sk_live_0123456789',
	'&amp;&amp;&amp;',
	'%25%25%25%25',
	'http://',
]);

const jobs = {
	'a text': (text: string) => withoutSignedQueries(redact(`https://${text}?`)),
	'an error': (message: string) => {
		const body = { success: false, error: { code: 'PUBLIC_API_BODY_INVALID', message } };
		const asked = { method: 'POST', path: '/posts' } as const;
		const failure = readAnswer({ statusCode: 400, headers: {}, body }, {}, 'https://a.example', asked);
		return failure instanceof Failure && redacted(failure, redact);
	},
};

/** How much longer a text of ten times the length takes: 10 in linear time, 100 in quadratic time. */
export const growth: Measure = async (scale) => {
	const length = sized(500_000, scale, 50_000);
	return Object.entries(jobs).flatMap(([what, job]) =>
		texts.map((text) => {
			const msOf = (size: number) => fastestMs(job, text.repeat(size / text.length));
			// The short one first: the long one must not pay for compiling. Below a millisecond a clock measures itself.
			const shortMs = Math.max(msOf(length / 10), 1);
			const times = msOf(length) / shortMs;
			return row(`${what} of ${JSON.stringify(text)}`, times.toFixed(1), 'at most 25', times <= 25);
		}),
	);
};

/** The fastest of three times: what else the machine does only adds. */
function fastestMs(job: (text: string) => unknown, text: string): number {
	return Math.min(
		...[1, 2, 3].map(() => {
			const startedMs = performance.now();
			job(text);
			return performance.now() - startedMs;
		}),
	);
}
