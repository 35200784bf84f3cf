import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import type { Exchange } from '../service/pipeline';

/** docs/openapi.yaml as checks: what is wrong with a request to the service, or with its answer. */

interface Parameter {
	name: string;
	in: 'query' | 'header' | 'path';
	required?: boolean;
}

const file = join(__dirname, '..', '..', 'docs', 'openapi.yaml');
export const readContract = (): any => parse(readFileSync(file, 'utf8'));

export class Contract {
	private readonly document = readContract();
	private readonly ajv = new Ajv2020({ strict: false, coerceTypes: false });
	/** Values of queries and headers are texts. */
	private readonly texts = new Ajv2020({ strict: false, coerceTypes: true });
	private readonly compiled = new Map<string, ValidateFunction>();

	constructor() {
		for (const ajv of [this.ajv, this.texts]) {
			addFormats(ajv);
			ajv.addSchema(this.document, 'contract');
		}
	}

	/** The operations of the document: `GET /posts/{id}`. */
	operations(): string[] {
		return Object.entries<object>(this.document.paths).flatMap(([path, methods]) =>
			Object.keys(methods)
				.filter((name) => name !== 'parameters')
				.map((method) => `${method.toUpperCase()} ${path}`),
		);
	}

	/** What is wrong with a request that the package sent. */
	ofRequest({ method, path, query, headers, body }: Exchange): string[] {
		const found = this.find(method, path);
		if (!found) return [`${method} ${path} is not in the document`];
		const { operation, pointer, parameters } = found;
		const wrong = parameters.flatMap(({ parameter: one, at }) => {
			if (one.in === 'path') return [];
			const value = one.in === 'query' ? query[one.name] : headers[one.name];
			if (value === undefined) return one.required ? [`${one.in} ${one.name} is missing`] : [];
			return this.check(this.texts, `${at}/schema`, value, `${one.in} ${one.name}`);
		});
		const schema = operation.requestBody?.content?.['application/json'];
		if (schema && (body !== undefined || operation.requestBody.required))
			wrong.push(
				...this.check(this.ajv, `${pointer}/requestBody/content/application~1json/schema`, body, 'body'),
			);
		if (!operation.requestBody && body !== undefined) wrong.push('body: there should be none');
		return wrong;
	}

	/** What is wrong with an answer of the service. */
	ofAnswer({ method, path, status, answer }: Exchange): string[] {
		const found = this.find(method, path);
		if (!found) return [];
		const { operation, pointer } = found;
		const name = [String(status), `${Math.floor(status / 100)}XX`].find((one) => one in operation.responses);
		if (!name) return [`status ${status} is not in the document`];
		const { node, at } = this.resolve(operation.responses[name], `${pointer}/responses/${name}`);
		if (!node.content) return answer === undefined ? [] : ['answer: there should be none'];
		return this.check(this.ajv, `${at}/content/application~1json/schema`, answer, 'answer');
	}

	private find(method: string, path: string) {
		const shared = this.document.paths[path];
		const operation = shared?.[method.toLowerCase()];
		if (!operation) return undefined;
		const base = `#/paths/${path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')}`;
		const pointer = `${base}/${method.toLowerCase()}`;
		const parameters = [
			...(shared.parameters ?? []).map((one: any, i: number) => this.resolve(one, `${base}/parameters/${i}`)),
			...(operation.parameters ?? []).map((one: any, i: number) =>
				this.resolve(one, `${pointer}/parameters/${i}`),
			),
		].map(({ node, at }) => ({ parameter: node as Parameter, at }));
		return { operation, pointer, parameters };
	}

	private resolve(node: any, at: string): { node: any; at: string } {
		if (typeof node.$ref !== 'string') return { node, at };
		const value = node.$ref
			.slice(2)
			.split('/')
			.reduce((one: any, part: string) => one[part], this.document);
		return { node: value, at: node.$ref };
	}

	private check(ajv: Ajv2020, pointer: string, value: unknown, what: string): string[] {
		const key = `${ajv === this.texts ? 'text' : 'json'} ${pointer}`;
		const validate = this.compiled.get(key) ?? ajv.compile({ $ref: `contract${pointer}` });
		this.compiled.set(key, validate);
		if (validate(value)) return [];
		return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
	}
}
