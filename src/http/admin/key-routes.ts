import { randomUUID } from 'node:crypto'
import type * as z from 'zod'
import { InvalidRequestError } from '../../errors/index.ts'
import { parseRequest } from '../../schemas/parse-request.ts'
import { createJsonResponse } from '../json-response.ts'
import { addKey, type BookChange, type KeyBook, listKeys, revokeKey, rotateKey, topUp } from '../keys/key-book.ts'
import { type FreshKey, makeKey } from '../keys/make-key.ts'
import { UnsureChangeError } from '../keys/stored-keys.ts'
import type { Call, Route } from '../route.ts'
import { ADMIN } from './admin-route.ts'
import type { AuditAction } from './audit-trail.ts'
import type { AuditedKeys } from './audited-keys.ts'
import {
  type changedSchema,
  type keyListSchema,
  type madeKeySchema,
  newKeySchema,
  revocationSchema,
  rotationSchema,
  topUpSchema,
} from './key-schemas.ts'

/**
 * Routes that show and change the keys of the store.
 *
 * @param isGiven Whether an account has keys that the server was given, which are not changed here.
 */
export function createKeyRoutes(keys: AuditedKeys, isGiven: (account: string) => boolean): Route[] {
  const change = ({ keyName = 'unknown' }: Call, action: AuditAction, plan: (book: KeyBook) => BookChange) =>
    keys.change(keyName, action, plan).catch(throwOfBody)

  const list = async () => createJsonResponse(toKeyList(await keys.read()))

  async function make(call: Call, action: AuditAction, plan: (book: KeyBook, fresh: FreshKey) => BookChange) {
    const fresh = makeKey()
    const { account, key: name } = await change(call, action, (book) => plan(book, fresh))
    return createJsonResponse({ key: fresh.key, name: name!, account } satisfies z.input<typeof madeKeySchema>)
  }

  async function add(call: Call): Promise<Response> {
    const wanted = toSettings(parseRequest(newKeySchema, await call.readJson()))
    if (wanted.id !== undefined && isGiven(wanted.id)) {
      throw new InvalidRequestError('account', 'has keys outside the store; an account is kept in one place')
    }
    return make(call, 'add', (book, fresh) => addKey(book, fresh, wanted))
  }

  async function revoke(call: Call): Promise<Response> {
    const { name } = parseRequest(revocationSchema, await call.readJson())
    const { account } = await change(call, 'revoke', (book) => revokeKey(book, name))
    return createJsonResponse({ account, name } satisfies z.input<typeof changedSchema>)
  }

  async function rotate(call: Call): Promise<Response> {
    const { name, overlap_seconds } = parseRequest(rotationSchema, await call.readJson())
    const overlap = { now: Date.now(), forMs: overlap_seconds * 1000 }
    return make(call, 'rotate', (book, fresh) => rotateKey(book, fresh, name, overlap))
  }

  async function pay(call: Call): Promise<Response> {
    const { account, amount } = parseRequest(topUpSchema, await call.readJson())
    const id = { id: call.idempotencyKey ?? randomUUID(), now: Date.now() }
    const making = change(call, 'topup', (book) => topUp(book, account, amount, id))
    const { prepaid } = await (call.idempotencyKey === undefined ? making : making.catch(throwRepeatable))
    return createJsonResponse({ account, prepaid } satisfies z.input<typeof changedSchema>)
  }

  return [
    { ...ADMIN, method: 'GET', path: '/v1/admin/keys', handle: list },
    { ...ADMIN, method: 'POST', path: '/v1/admin/keys', handle: add },
    { ...ADMIN, method: 'POST', path: '/v1/admin/keys/revoke', handle: revoke },
    { ...ADMIN, method: 'POST', path: '/v1/admin/keys/rotate', handle: rotate },
    { ...ADMIN, method: 'POST', path: '/v1/admin/topups', handle: pay },
  ]
}

function toSettings(body: z.output<typeof newKeySchema>) {
  const { account, requests_per_minute, tokens_per_minute, free_tokens, ...settings } = body
  return {
    ...settings,
    id: account,
    requestsPerMinute: requests_per_minute,
    tokensPerMinute: tokens_per_minute,
    freeTokens: free_tokens,
  }
}

/** What the list of all keys, and who changes it, call the fields of a body. */
const BODY_NAMES: Readonly<Record<string, string>> = {
  key: 'name',
  id: 'account',
  requestsPerMinute: 'requests_per_minute',
  tokensPerMinute: 'tokens_per_minute',
  freeTokens: 'free_tokens',
}

/** @throws what was thrown; a fault of `key`, or of the new one as `keys.1.requestsPerMinute`, as one of a field of the body */
function throwOfBody(thrown: unknown): never {
  if (!InvalidRequestError.isInstance(thrown)) throw thrown
  const [field, ...rest] = thrown.loc[0] === 'keys' ? thrown.loc.slice(2) : thrown.loc
  if (field === undefined) throw thrown
  throw new InvalidRequestError([BODY_NAMES[field] ?? field, ...rest].join('.'), thrown.reason)
}

/** @throws what was thrown; of what may have been made and can be asked for again, as it is not made twice, that the store is away */
function throwRepeatable(thrown: unknown): never {
  throw thrown instanceof UnsureChangeError ? thrown.cause : thrown
}

function toKeyList(book: KeyBook): z.input<typeof keyListSchema> {
  return {
    keys: listKeys(book).map(({ requestsPerMinute, tokensPerMinute, freeTokens, models, ...key }) => ({
      ...key,
      models: models && [...models],
      requests_per_minute: requestsPerMinute,
      tokens_per_minute: tokensPerMinute,
      free_tokens: freeTokens,
    })),
  }
}
