import * as z from 'zod'
import type { Engine } from '../engine/index.ts'
import { callback, count, flag, mustBe, optionTable, readOptions, text, withMethods } from '../options/index.ts'
import { LIMITS as REQUEST } from '../schemas/index.ts'
import { bytesForBodies } from './body/body-rooms.ts'
import { HOSTS } from './check-host.ts'
import type { JobStore } from './jobs/job-store.ts'
import type { KeyConfig } from './keys/key-config.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { RateLimits } from './limits/request-limiter.ts'
import { logFaults, type RequestLog } from './request-reporter.ts'
import type { Endpoint, Price, Prices } from './usage/prices.ts'
import type { UsageStore } from './usage/usage-store.ts'
import { WEBHOOKS, type WebhookOptions } from './webhooks/webhook-options.ts'

/** What `createServer` takes. */
export interface ServerOptions {
  /**
   * Answers the requests. Without `activity` and `backendInfo` some metrics are missing. It stays the caller's: `close()` does not dispose it.
   *
   * @example
   * ```ts
   * const server = createServer({ engine: await createEngine() })
   * ```
   */
  readonly engine: Pick<Engine, 'decide' | 'countTokens' | 'generateImage' | 'editImage' | 'models'> &
    Partial<Pick<Engine, 'activity' | 'backendInfo'>>
  /**
   * Keys, or where to look them up. Default: `TESSERA_API_KEYS`; where that is not set either, no key is needed.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, keys: [{ key: 'a-long-secret', id: 'shop', requestsPerMinute: 60 }] })
   * ```
   */
  readonly keys?: KeyStore | readonly (string | KeyConfig)[] | undefined
  /**
   * Limits of keys that set none of their own.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, limits: { requestsPerMinute: 60, concurrency: 4 } })
   * ```
   */
  readonly limits?: RateLimits | undefined
  /**
   * Largest body in bytes; default 8 MiB. 200,000 characters take up to 2.4 MB as JSON escapes.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, maxBodyBytes: 2 ** 20 })
   * ```
   */
  readonly maxBodyBytes?: number | undefined
  /**
   * The same for `/v1/images/edits` and `/v1/images/generations`, whose bodies hold pictures; default 32 MiB.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, maxEditBodyBytes: 64 * 2 ** 20 })
   * ```
   */
  readonly maxEditBodyBytes?: number | undefined
  /**
   * Bytes for bodies, three times the length of each, over all requests that are read or answered. More wait at their clients for 10 s, then get
   * 529; small ones (a 256th) have an eighth more for themselves, and unread results in a shared store as much as all bodies. Default
   * 256 MiB, or a quarter of the memory where that is less; at least three times the largest body.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, maxBufferedBytes: 2 ** 30 })
   * ```
   */
  readonly maxBufferedBytes?: number | undefined
  /**
   * Most options of a choice, 2 or more; default 26. The engine's own `maxOptions` must allow them too.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, maxOptions: 50 })
   * ```
   */
  readonly maxOptions?: number | undefined
  /**
   * What answers cost; default, also for an endpoint that is left out, as in the specification.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, prices: { decisions: { amount: '0.05', per: 1_000_000 } } })
   * ```
   */
  readonly prices?: { readonly [Name in keyof Prices]?: Price | undefined } | undefined
  /**
   * Where usage is kept; default in memory. It stays the caller's: `close()` does not close it.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, store: await openSqliteStore('usage.sqlite') })
   * ```
   */
  readonly store?: UsageStore | undefined
  /**
   * Folder, one for each store, for charges of answers that were delivered while the store was away; the next server that
   * is given it makes them. Default: they wait in memory, and are lost with the process.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, journal: './journal' })
   * ```
   */
  readonly journal?: string | undefined
  /**
   * Names of this server beside `localhost` and addresses, without ports. A server without keys answers no request that
   * names another host. Default: none.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, hosts: ['tessera.example.com'] })
   * ```
   */
  readonly hosts?: readonly string[] | undefined
  /**
   * Names of models without which `/readyz` gives 503. Default: any one will do.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, requires: ['decide-latest'] })
   * ```
   */
  readonly requires?: readonly string[] | undefined
  /**
   * How requests are answered that ask to be jobs.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, jobs: { concurrency: 8 } })
   * ```
   */
  readonly jobs?: JobOptions | undefined
  /**
   * How clients are told that jobs are over (`tessera-webhook`).
   *
   * @example
   * ```ts
   * const server = createServer({ engine, webhooks: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr' } })
   * ```
   */
  readonly webhooks?: WebhookOptions | undefined
  /**
   * Serves a page under `/console` that shows a key what it used and lets it try the jobs; default true.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, console: false })
   * ```
   */
  readonly console?: boolean | undefined
  /**
   * Called after every response, with nothing of the request's content; without it the server's own faults go to stderr.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ route, status, milliseconds }) => console.log(route, status, milliseconds) })
   * ```
   */
  readonly log?: ((entry: RequestLog) => void) | undefined
}

/** How jobs of the service are kept and run. */
export interface JobOptions {
  /**
   * Jobs that the engine is given at a time, as many of decisions as of pictures; accounts whose jobs wait take turns. Default 4 of each.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, jobs: { concurrency: 8 } })
   * ```
   */
  readonly concurrency?: number | undefined
  /**
   * Where jobs are kept; default in the memory of this process. It stays the caller's: `close()` does not close it.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, jobs: { store: await openJobStore({ connection }) } })
   * ```
   */
  readonly store?: JobStore | undefined
}

const JOBS = optionTable('`jobs`', {
  concurrency: count(1).default(4),
  store: withMethods<JobStore>('a store, such as openJobStore() opens', 'add', 'read', 'write').optional(),
} satisfies Record<keyof JobOptions, unknown>)

const LIMITS = optionTable('`limits`', {
  requestsPerMinute: count(1).optional(),
  tokensPerMinute: count(1).optional(),
  concurrency: count(1).optional(),
} satisfies Record<keyof RateLimits, unknown>)

/** The form of an amount is checked where it is turned into money. */
const PRICE = optionTable('a price', {
  amount: text("a decimal number as a string, such as '0.039'"),
  per: count(1),
} satisfies Record<keyof Price, unknown>)

const PRICES = optionTable('`prices`', {
  decisions: PRICE.optional(),
  generations: PRICE.optional(),
  edits: PRICE.optional(),
} satisfies Record<Endpoint, unknown>)

/** The values of keys are secrets, so that what came is not shown. */
const KEYS = z.custom<KeyStore | readonly (string | KeyConfig)[]>(
  (value) => typeof (value as KeyStore | null | undefined)?.find === 'function',
  'must be an array of keys, or an object with find()',
)

/** A limit that is misspelt, and so never read, would limit nothing. */
const SERVER_OPTIONS = optionTable('a server', {
  engine: withMethods<ServerOptions['engine']>('an engine, as createEngine() makes one', 'decide'),
  keys: KEYS.optional(),
  limits: LIMITS.default({}),
  maxBodyBytes: count(1).default(8 * 2 ** 20),
  maxEditBodyBytes: count(1).default(32 * 2 ** 20),
  maxBufferedBytes: count(1).optional(),
  maxOptions: count(REQUEST.options.min).optional(),
  prices: PRICES.default({}),
  store: withMethods<UsageStore>('a store, such as openSqliteStore() opens', 'read', 'update').optional(),
  journal: text('a folder').optional(),
  hosts: HOSTS.default([]),
  requires: z.array(text('a name'), mustBe('an array of names of models')).default([]),
  jobs: JOBS.default({ concurrency: 4 }),
  webhooks: WEBHOOKS.default({}),
  console: flag.default(true),
  log: callback<(entry: RequestLog) => void>().default(() => logFaults),
} satisfies Record<keyof ServerOptions, unknown>)

export type ResolvedServerOptions = ReturnType<typeof resolveServerOptions>

/** Fills in defaults. @throws InvalidRequestError naming the option */
export function resolveServerOptions(options: ServerOptions) {
  const resolved = readOptions(SERVER_OPTIONS, options)
  const longest = Math.max(resolved.maxBodyBytes, resolved.maxEditBodyBytes)
  return { ...resolved, maxBufferedBytes: bytesForBodies(longest, resolved.maxBufferedBytes) }
}
