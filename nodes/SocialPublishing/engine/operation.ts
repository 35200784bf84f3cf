import type { IDataObject, IExecuteFunctions, INodeProperties } from 'n8n-workflow';

import { refusal, toNodeError, type Failure, type Outcome } from '../../api/failure';
import type { ListOptions } from '../../api/pages';
import type { Write, WriteOperation } from '../writes/write';
import type { Item, ReadRequest, RequestContext } from './item';
import type { CommonOptions, DuplicateKinds } from './options';

type Fields = readonly INodeProperties[];

/** Types of fields whose values have the same type whatever else the field says. */
interface Simple {
	number: number;
	boolean: boolean;
	multiOptions: string[];
}

/** The type that a field's value has once it is read (see `params.ts`), from the field's literal. */
type Value<F> = F extends { type: infer T extends keyof Simple }
	? Simple[T]
	: F extends { type: 'options'; options: ReadonlyArray<{ value: infer V }> }
		? V
		: F extends { type: 'collection'; options: infer O extends Fields }
			? Partial<Params<O>>
			: F extends { type: 'fixedCollection'; options: infer S extends readonly Section[] }
				? Sections<S, F extends { typeOptions: { multipleValues: true } } ? true : false>
				: string;

type Section = { name: string; values: Fields };
/** The sections of a fixed collection: each its values, or a list of them where it is repeatable. */
type Sections<S extends readonly Section[], Repeatable> = {
	[One in S[number] as One['name']]?: Repeatable extends true
		? Array<Params<One['values']>>
		: Params<One['values']>;
};

/** The parameters of an operation, typed from its fields' literals: a misspelt name is a compile error. */
export type Params<F extends Fields> = { [One in F[number] as One['name']]: Value<One> };

/** What one row is going to send, worked out before the first request of the run that changes something. */
export interface Plan {
	readonly item: Item;
	/** In their order; each is looked up in the journal. */
	readonly writes: readonly Write[];
	/** The rows of the run go out one after another. */
	readonly isInOrder?: boolean;
}

/** An operation has `request`, or `send` and what it needs; the engine calls them in this order, see `execute.ts`. */
interface Defined<P, P2 extends Plan> extends Omit<WriteOperation, 'method'> {
	/** Left out: GET. */
	method?: WriteOperation['method'];
	name: string;
	/** Sentence in the nodes panel: "Publish or schedule post". */
	action: string;
	description: string;
	/** The kinds of *Avoid Duplicates* that make sense for a write. Left out: those of posts. */
	duplicates?: DuplicateKinds;
	/** Several rows go out at the same time. */
	parallel?: true;
	/** Of one call: the request of a row, pure. Called while rows are planned; throws = the row is wrong. */
	request?(params: P, context: RequestContext): OneRequest;
	/** Of several writes: called while rows are planned, sends only reads; throws = the row is wrong. */
	plan?(params: P, item: Item): Promise<P2>;
	/** Called once all rows are planned and what is begun is known: what is wrong with rows, all together. */
	check?(plans: readonly P2[]): Promise<ReadonlyMap<P2, Failure>>;
	/** Called instead of `send` where rows are previewed, for all of them together. */
	preview?(plans: readonly P2[]): Promise<Outcome[][]>;
	/** Sends one row: one outcome for each write. */
	send?(plan: P2, params: P): Promise<Outcome[]>;
	/** Called with the answer of `request`: from `data`, and the body that was sent, to one item or several. */
	shape?(data: IDataObject, params: P, item: Item, sent?: IDataObject): object | Promise<object>;
	/** Called with the records of a list: makes items of them, of which `limit` come out. */
	rows?(records: IDataObject[], params: P, item: Item): IDataObject[] | Promise<IDataObject[]>;
	/** `rows` decides on the columns; left out, all rows have the same. */
	ownColumns?: true;
	/** Called once all rows are sent, for all of them at the same time: what comes out instead of `outcomes`. */
	wait?(outcomes: Outcome[], params: P, item: Item, plan: P2): Promise<Outcome[]>;
}

/** A request of an operation of one call; of a list it gives one item a record, up to `limit`. */
export type OneRequest = ReadRequest &
	Partial<ListOptions> &
	Partial<Pick<Write, 'says'>> & {
		body?: IDataObject;
		/** Called once fields of the user's own are merged into it, right before it is sent; throws if it's too late. */
		finish?: (body: IDataObject) => IDataObject;
	};

/** An operation as the table holds it: with parameters and plans of any operation, since its hooks are methods. */
export interface Operation extends Defined<IDataObject, Plan> {
	method: WriteOperation['method'];
	fields: Fields;
	options: Fields;
}

/**
 * One operation: what the user sees, what it asks of the service, what comes out. Fields are plain literals without
 * visibility: the table adds it. `options` are its own entries of the Options collection, next to the common ones.
 */
export function operation<const F extends Fields, P extends Plan, const O extends Fields = readonly []>(
	definition: Defined<Params<F> & { options: Partial<Params<O>> & CommonOptions }, P> & {
		fields: F;
		options?: O;
	},
): Operation {
	return { method: 'GET', ...definition, options: definition.options ?? [] } as Operation;
}

export interface Resource {
	name: string;
	value: string;
	/** In the order in which people need them. */
	operations: readonly Operation[];
}

/** The operation that the node is set to. @throws NodeOperationError in a workflow that was made by a newer version */
export function chosenOperation(n8n: IExecuteFunctions, resources: readonly Resource[]): Operation {
	const [resource, value] = ['resource', 'operation'].map((name) => n8n.getNodeParameter(name, 0) as string);
	const operations = resources.find((one) => one.value === resource)?.operations ?? [];
	const chosen = operations.find((one) => one.value === value);
	if (chosen) return chosen;
	const failure = refusal(
		'OPERATION',
		`This version of the node has no operation '${value}' of '${resource}'`,
		'Choose another operation, or update the package under Settings, Community nodes.',
	);
	throw toNodeError(n8n.getNode(), failure);
}
