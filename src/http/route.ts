import type { ApiKey } from './keys/key-store.ts'
import type { Dialect } from './error-response.ts'

/** One request on its way through a route. */
export interface Call {
  readonly caller: ApiKey
  /** Fires when the client hangs up. */
  readonly signal: AbortSignal
  /** Reads the body, once. */
  readJson(): Promise<unknown>
}

export interface Route {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** `open` needs no key, `key` one where the server has keys; `work` also counts against the key's rate limits. */
  readonly access: 'open' | 'key' | 'work'
  readonly dialect: Dialect
  handle(call: Call): Promise<Response> | Response
}
