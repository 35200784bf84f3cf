import Ajv2020, { type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { get } from 'lodash';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

import type { Exchange } from '../service/pipeline';

/** docs/openapi.yaml as checks: what is wrong with a request to the service, or with its answer. */

type Schema = Record<string, unknown>;

const file = join(__dirname, '..', '..', 'docs', 'openapi.yaml');
export const readContract = (): any => parse(readFileSync(file, 'utf8'));

export class Contract {
	private readonly document = readContract();
	private readonly ajv = addFormats(new Ajv2020({ strict: false }));
	/** Values of queries and headers are texts. */
	private readonly ofTexts = addFormats(new Ajv2020({ strict: false, coerceTypes: true }));
	private readonly compiled = new Map<Schema, ValidateFunction>();

	operations(): string[] {
		return Object.entries<object>(this.document.paths).flatMap(([path, methods]) =>
			Object.keys(methods)
				.filter((name) => name !== 'parameters')
				.map((method) => `${method.toUpperCase()} ${path}`),
		);
	}

	ofRequest({ method, path, query, headers, body }: Exchange): string[] {
		const operation = this.find(method, path);
		if (!operation) return [`${method} ${path} is not in the document`];
		const wrong = this.parametersOf(method, path).flatMap(({ in: where, name, required, schema }) => {
			if (where === 'path') return [];
			const value = where === 'query' ? query[name] : headers[name];
			if (value === undefined) return required ? [`${where} ${name} is missing`] : [];
			return this.check(this.ofTexts, schema, value, `${where} ${name}`);
		});
		const { requestBody } = operation;
		const schema = requestBody?.content['application/json']?.schema;
		if (schema && (body !== undefined || requestBody.required))
			wrong.push(...this.check(this.ajv, schema, body, 'body'));
		if (!requestBody && body !== undefined) wrong.push('body: there should be none');
		return wrong;
	}

	ofAnswer({ method, path, status, answer }: Exchange): string[] {
		const responses = this.find(method, path)?.responses;
		if (!responses) return [];
		const documented = responses[status] ?? responses[`${Math.floor(status / 100)}XX`];
		if (!documented) return [`status ${status} is not in the document`];
		const { content } = this.resolve(documented);
		if (!content) return answer === undefined ? [] : ['answer: there should be none'];
		return this.check(this.ajv, content['application/json'].schema, answer, 'answer');
	}

	private find(method: string, path: string) {
		return this.document.paths[path]?.[method.toLowerCase()];
	}

	private parametersOf(method: string, path: string): any[] {
		const { parameters: shared = [] } = this.document.paths[path];
		const { parameters = [] } = this.find(method, path);
		return [...shared, ...parameters].map((one) => this.resolve(one));
	}

	private resolve(node: any): any {
		return typeof node.$ref === 'string' ? get(this.document, node.$ref.slice(2).split('/')) : node;
	}

	private check(ajv: Ajv2020, schema: Schema, value: unknown, what: string): string[] {
		const { components } = this.document;
		const validate = this.compiled.get(schema) ?? ajv.compile({ ...schema, components });
		this.compiled.set(schema, validate);
		if (validate(value)) return [];
		return (validate.errors ?? []).map(({ instancePath, message }) => `${what}${instancePath} ${message}`);
	}
}
