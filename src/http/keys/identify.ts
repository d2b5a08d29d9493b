import { AuthenticationError, PermissionError } from '../../errors/index.ts'
import type { AdminLimiter } from '../limits/admin-limiter.ts'
import type { Route } from '../route.ts'
import { ANYONE, authenticate, nameOfKey } from './authenticate.ts'
import type { ApiKey, KeyStore } from './key-store.ts'
import { requireScope } from './permissions.ts'

/**
 * Who sent a request, if they may use the route.
 *
 * @param keys Undefined where the server has none: then anyone may use all but the routes for operators.
 * @throws AuthenticationError, PermissionError; RateLimitError on routes for operators
 */
export async function identify(
  headers: Headers,
  { scope }: Pick<Route, 'scope'>,
  keys: KeyStore | undefined,
  admin: AdminLimiter,
): Promise<ApiKey> {
  if (keys === undefined) {
    if (scope === 'admin') requireScope(ANYONE, scope)
    return ANYONE
  }
  if (scope !== 'admin') {
    const caller = await authenticate(headers, keys)
    if (scope !== undefined) requireScope(caller, scope)
    return caller
  }
  const name = nameOfKey(headers)
  admin.check(name)
  let caller: ApiKey
  try {
    caller = await authenticate(headers, keys)
    requireScope(caller, scope)
  } catch (error) {
    // A store that is away says nothing about the key.
    if (AuthenticationError.isInstance(error) || PermissionError.isInstance(error)) admin.refused(name)
    throw error
  }
  await admin.enter(name!)
  return caller
}
