import { Refusal } from './refusal.ts'

const KEY = /^[\x20-\x7e]{1,255}$/

/**
 * The `Idempotency-Key` of a request: what it names is charged once.
 *
 * @throws Refusal (400)
 */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const key = headers.get('idempotency-key')
  if (key === null || KEY.test(key)) return key ?? undefined
  throw new Refusal(400, 'invalid_request', 'Idempotency-Key: must be 1 to 255 visible ASCII characters')
}

/** For another request under the same key. */
export function conflict(): Refusal {
  return new Refusal(409, 'idempotency_error', 'Idempotency-Key: was used for another request; take a new one')
}
