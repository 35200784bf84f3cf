import cloneDeepWith from 'lodash/cloneDeepWith';

/** The service's records without any secret in them: only *Webhook: Create* returns one (spec, "Webhook": given once). */
export const withoutSecrets = <T>(value: T): T =>
	cloneDeepWith(value, (inner: unknown, key) =>
		/secret/i.test(String(key)) && ['string', 'object'].includes(typeof inner) ? '[hidden]' : undefined,
	) as T;
