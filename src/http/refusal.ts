/**
 * A request that HTTP itself refuses: malformed, late, no route, no such method, not JSON by its headers, too large, a
 * key of another request.
 */
export class Refusal extends Error {
  readonly status: 400 | 404 | 405 | 408 | 409 | 413 | 415 | 421 | 431
  readonly errorType: 'not_found' | 'method_not_allowed' | 'invalid_request' | 'idempotency_error'
  readonly headers: Readonly<Record<string, string>>

  constructor(
    status: Refusal['status'],
    errorType: Refusal['errorType'],
    message: string,
    headers: Readonly<Record<string, string>> = {},
  ) {
    super(message)
    this.status = status
    this.errorType = errorType
    this.headers = headers
  }
}
