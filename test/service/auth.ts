import { ApiError } from './envelope';
import type { Store } from './store';
import type { ApiKey, Workspace } from './types';

/** Spec, "Authentication", 1 and 2: header, key, expiry, in this order. */
export function authenticate(header: string | undefined, store: Store): ApiKey {
	const token = /^Bearer ([\x21-\x7e]+)$/.exec(header ?? '')?.[1];
	if (!token) {
		throw new ApiError('PUBLIC_API_AUTH_REQUIRED', 'Send "Authorization: Bearer <API_KEY>".');
	}
	const key = store.keys.get(token);
	if (!key || key.revoked) throw new ApiError('PUBLIC_API_KEY_INVALID', 'The API key is not recognised.');
	if (key.expiresAt && Date.parse(key.expiresAt) <= store.clock.now()) {
		throw new ApiError('PUBLIC_API_KEY_EXPIRED', 'The API key has expired.');
	}
	return key;
}

/** Spec, "Authentication", 3. */
export function requireScope(key: ApiKey, scope: string): void {
	if (key.scopes && !key.scopes.includes(scope)) {
		throw new ApiError('PUBLIC_API_SCOPE_FORBIDDEN', `The API key lacks the scope ${scope}.`);
	}
}

/** Spec, "Authentication", 4 and 5. Without the header: the key's first workspace (not shown in the spec). */
export function resolveWorkspace(key: ApiKey, header: string | undefined, store: Store): Workspace {
	const id = header ?? key.workspaces[0];
	const workspace = id !== undefined && key.workspaces.includes(id) ? store.workspaces.get(id) : undefined;
	if (!workspace) {
		throw new ApiError('PUBLIC_API_WORKSPACE_FORBIDDEN', 'The API key has no access to this workspace.');
	}
	return workspace;
}
