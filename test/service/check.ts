import { z } from 'zod';
import { platforms } from '../support/specification';
import { ApiError, bodyInvalid } from './envelope';

/** Spec: "Timestamps are ISO 8601 in UTC, written `<timestamp>` and ending in `Z`." */
export const timestamp = z.string().datetime('has to be an ISO 8601 time in UTC ending in Z');
const date = z.string().date();
const moment = timestamp.transform((value) => Date.parse(value));

/** The analytics endpoints' "ISO 8601": a timestamp or a date; gives ms. Where a range ends, a date means its last instant. */
export const isoFrom = z.union([moment, date.transform((value) => Date.parse(value))]);
export const isoTo = z.union([moment, date.transform((value) => Date.parse(value) + 86_399_999)]);

/** A whole number in a query, from 1. */
export const int = (max: number) =>
	z.string().regex(/^\d+$/, 'has to be a whole number').pipe(z.coerce.number().min(1).max(max));
export const limit = ({ standard, most }: { standard: number; most: number }) =>
	int(most).default(String(standard));

export const bool = z.enum(['true', 'false']).transform((value) => value === 'true');

export const platform = z.enum(platforms);

/** Comma-separated names; analytics also know `twitter`, which is `x`. */
export const platformList = z
	.string()
	.transform((value) => value.split(','))
	.pipe(z.array(z.enum([...platforms, 'twitter'])))
	.transform((names) => new Set(names.map(analyticsName)));

/** Spec: "Analytics payloads also use the platform key `twitter`". */
export const analyticsName = (name: string) => (name === 'x' ? 'twitter' : name);

function explain(error: z.ZodError): string {
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

export const noQuery = z.object({}).strict();

export function checkOrder(from = -Infinity, to = Infinity): void {
	if (from > to) throw queryInvalid('The range ends before it begins.');
}
