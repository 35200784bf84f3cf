/** One figure of a bench module. */
export interface Row {
	what: string;
	value: number;
	/** The value with its unit. */
	shown: string;
	/** In words; what `ok` says of it. Left out where there is none. */
	target?: string;
	ok?: boolean;
}
