import { PermissionError } from '../../errors/index.ts'
import type { ApiKey } from './key-store.ts'
import { DEFAULT_SCOPES, type Scope } from './scopes.ts'

/** @throws PermissionError naming the scope. Whoever may administer may read metrics too. */
export function requireScope({ scopes = DEFAULT_SCOPES }: ApiKey, scope: Scope): void {
  if (scopes.includes(scope) || (scope === 'metrics' && scopes.includes('admin'))) return
  throw new PermissionError(`this API key lacks the scope '${scope}'; it has ${scopes.join(', ')}`)
}

/**
 * @param model Name that the request gives, or that of the default model.
 * @throws PermissionError naming the models that the key may use
 */
export function requireModel({ models }: ApiKey, model: string): void {
  if (models === undefined || models.includes(model)) return
  throw new PermissionError(`model: this API key may use ${models.join(', ')} only`)
}
