import { z } from 'zod';
import { platforms } from '../support/specification';
import { ApiError, bodyInvalid } from './envelope';

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?Z$/;
const DATE = /^\d{4}-\d{2}-\d{2}$/;

/** A date that the calendar has: V8 takes February 30th for March 2nd. */
const exists = (value: string) => {
	const time = new Date(value);
	return !Number.isNaN(time.getTime()) && time.toISOString().slice(0, 10) === value.slice(0, 10);
};

/** Spec: "Timestamps are ISO 8601 in UTC, written `<timestamp>` and ending in `Z`." */
export const timestamp = z
	.string()
	.refine((value) => TIMESTAMP.test(value) && exists(value), 'has to be an ISO 8601 time in UTC ending in Z');

/** The analytics endpoints' "ISO 8601": a timestamp or a date; gives ms. `end`: a date means its last instant. */
const isoMoment = (end: boolean) =>
	z
		.string()
		.refine(
			(value) => (TIMESTAMP.test(value) || DATE.test(value)) && exists(value),
			'has to be an ISO 8601 date, or time in UTC ending in Z',
		)
		.transform((value) => Date.parse(value) + (end && DATE.test(value) ? 86_399_999 : 0));
export const isoFrom = isoMoment(false);
export const isoTo = isoMoment(true);

/** A whole number in a query, from 1. */
export const int = (max: number) =>
	z
		.string()
		.regex(/^\d{1,9}$/, 'has to be a whole number')
		.transform(Number)
		.refine((value) => value >= 1 && value <= max, `has to be 1 to ${max}`);
export const limit = ({ standard, most }: { standard: number; most: number }) =>
	int(most).default(String(standard));

export const bool = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Spec: platform identifiers when posting. */
export const platform = z.enum(platforms);

/** Comma-separated names; analytics also know `twitter`, which is `x`. */
export const platformList = z
	.string()
	.transform((value) => value.split(','))
	.pipe(z.array(z.enum([...platforms, 'twitter'])))
	.transform((names) => new Set(names.map(analyticsName)));

/** Spec: "Analytics payloads also use the platform key `twitter`". */
export const analyticsName = (name: string) => (name === 'x' ? 'twitter' : name);

/** The first thing that is wrong, with where. */
export function explain(error: z.ZodError): string {
	const issue = error.issues[0];
	const where = issue?.path.join('.');
	return `${where ? `${where}: ` : ''}${issue?.message ?? 'invalid'}`;
}

const queryInvalid = (message: string) => new ApiError('PUBLIC_API_QUERY_INVALID', message);

const parserFor =
	(refuse: (message: string) => ApiError) =>
	<T extends z.ZodTypeAny>(schema: T, value: unknown): z.output<T> => {
		const result = schema.safeParse(value);
		if (!result.success) throw refuse(explain(result.error));
		return result.data;
	};
export const parseBody = parserFor(bodyInvalid);
export const parseQuery = parserFor(queryInvalid);

/** For an endpoint without parameters. */
export const noQuery = z.object({}).strict();

/** `from` and `to` in the wrong order. */
export function checkOrder(from = -Infinity, to = Infinity): void {
	if (from > to) throw queryInvalid('The range ends before it begins.');
}
