import { InvalidRequestError } from '../errors/index.ts'
import type { Engine } from '../engine/index.ts'
import { createConsoleRoutes } from './console/console-routes.ts'
import { createDecisionService } from './decisions/decision-service.ts'
import { createOpenAiRoute } from './decisions/openai-route.ts'
import { createSystemOneRoute } from './decisions/systemone-route.ts'
import { createHandler } from './handler.ts'
import { createEditsRoute } from './images/edits-route.ts'
import { createGenerationsRoute } from './images/generations-route.ts'
import type { KeyConfig } from './keys/key-config.ts'
import type { KeyStore } from './keys/key-store.ts'
import { createKeyStore, readKeysFromEnvironment } from './keys/static-keys.ts'
import { RequestLimiter, type RequestLimits } from './limits/request-limiter.ts'
import { ServerMetrics } from './metrics/server-metrics.ts'
import type { RequestLog } from './request-reporter.ts'
import { createModelsRoute } from './routes/models-route.ts'
import { createOpenApiRoute } from './routes/openapi-route.ts'
import { createHealthRoute, createMetricsRoute } from './routes/status-routes.ts'
import { createUsageRoute } from './routes/usage-route.ts'
import type { Route } from './route.ts'
import { boundStore } from './usage/bounded-store.ts'
import type { Accounting } from './usage/charge-answer.ts'
import { IdempotentRequests } from './usage/idempotent-requests.ts'
import { Leases } from './usage/leases.ts'
import { Ledger } from './usage/ledger.ts'
import { createMemoryStore } from './usage/memory-store.ts'
import { DEFAULT_PRICES, type Prices } from './usage/prices.ts'
import { RecentRequests } from './usage/recent-requests.ts'
import type { DailyUsage, MonthlyUsage } from './usage/usage-rows.ts'
import type { UsageStore } from './usage/usage-store.ts'

export interface ServerOptions {
  /** Answers the requests. It stays the caller's: `close()` does not dispose it. */
  readonly engine: Pick<Engine, 'decide' | 'countTokens' | 'generateImage' | 'editImage' | 'models'>
  /** Keys, or where to look them up. Default: `TESSERA_API_KEYS`; where that is not set either, no key is needed. */
  readonly keys?: KeyStore | readonly (string | KeyConfig)[]
  /** Limits of keys that set none of their own. */
  readonly limits?: RequestLimits
  /** Largest body in bytes; default 8 MiB. 200,000 characters take up to 2.4 MB as JSON escapes. */
  readonly maxBodyBytes?: number
  /** The same for `/v1/images/edits`, whose bodies hold source pictures; default 32 MiB. */
  readonly maxEditBodyBytes?: number
  /** Most options of a choice; default 26. The engine's own `maxOptions` must allow them too. */
  readonly maxOptions?: number
  /** What answers cost; default, also for an endpoint that is left out, as in the specification. */
  readonly prices?: Partial<Prices>
  /** Where usage is kept; default in memory. It stays the caller's: `close()` does not close it. */
  readonly store?: UsageStore
  /**
   * Folder for charges of answers that were delivered while the store was away; the next server that is given it makes
   * them. Default: they wait in memory, and are lost with the process.
   */
  readonly journal?: string
  /** Serves a page under `/console` that shows a key what it used and lets it try the jobs; default true. */
  readonly console?: boolean
  /** Called after every response, with nothing of the request's content. */
  readonly log?: (entry: RequestLog) => void
}

export interface Server {
  /** Answers a request, whatever it is: it never rejects. `request.signal` stops the work. */
  readonly fetch: (request: Request) => Promise<Response>
  /** What an account has used, by month and endpoint, oldest first. */
  usage(account: string): Promise<MonthlyUsage[]>
  /** The same by day, for the last 92 days that anything was answered on. */
  usageByDay(account: string): Promise<DailyUsage[]>
  /**
   * Refuses new requests with 529, and resolves when those being answered are and charges that wait for the store were
   * tried once more. Safe to call twice.
   */
  close(): Promise<void>
}

const MAX_BODY_BYTES = 8 * 2 ** 20
const MAX_EDIT_BODY_BYTES = 32 * 2 ** 20
const KEYED_CONCURRENCY = 32

/**
 * The service of the specification as a web-standard handler.
 *
 * @throws InvalidRequestError for an option that is no valid value
 */
export function createServer(options: ServerOptions): Server {
  requireOptions(options)
  const { maxBodyBytes = MAX_BODY_BYTES, maxEditBodyBytes = MAX_EDIT_BODY_BYTES, limits, log } = options
  const keys = options.keys === undefined ? readKeysFromEnvironment(process.env) : toKeyStore(options.keys)
  requireCounts({
    maxBodyBytes,
    maxEditBodyBytes,
    maxOptions: options.maxOptions,
    'limits.requestsPerMinute': limits?.requestsPerMinute,
    'limits.concurrency': limits?.concurrency,
  })
  const store = boundStore(options.store ?? createMemoryStore())
  const accounting = openAccounting(store, options)
  const { ledger, metrics } = accounting
  const concurrency = limits?.concurrency ?? (keys && KEYED_CONCURRENCY)
  const recent = new RecentRequests()
  const handler = createHandler({
    routes: [
      ...createWorkRoutes(accounting, options, maxEditBodyBytes),
      createModelsRoute(options.engine),
      createUsageRoute(ledger, recent),
      createOpenApiRoute(options),
      createHealthRoute(),
      createMetricsRoute(metrics),
      ...((options.console ?? true) ? createConsoleRoutes(keys !== undefined) : []),
    ],
    keys,
    limiter: new RequestLimiter({ ...limits, ...(concurrency && { concurrency }) }, store.countRequest),
    metrics,
    recent,
    maxBodyBytes,
    log,
  })
  return {
    fetch: handler.fetch,
    async close() {
      await handler.close()
      await ledger.close()
    },
    usage: (account) => ledger.usage(account),
    usageByDay: (account) => ledger.usageByDay(account),
  }
}

function openAccounting(store: UsageStore, { prices, journal }: ServerOptions): Accounting {
  const leases = new Leases(store)
  return {
    ledger: new Ledger(store, { ...DEFAULT_PRICES, ...prices }, leases, journal),
    requests: new IdempotentRequests(store, leases),
    metrics: new ServerMetrics(),
  }
}

/** Those that answers are charged on. */
function createWorkRoutes(accounting: Accounting, options: ServerOptions, maxEditBodyBytes: number): Route[] {
  const { engine } = options
  const decisions = createDecisionService({ engine, ...accounting })
  return [
    createSystemOneRoute(decisions, options),
    createOpenAiRoute(decisions, options),
    createGenerationsRoute(engine, accounting),
    createEditsRoute(engine, accounting, maxEditBodyBytes),
  ]
}

/** Of each option, to tell a misspelt one: a limit that is never read would limit nothing. */
const NAMES: Readonly<Record<keyof ServerOptions, true>> = {
  engine: true,
  keys: true,
  limits: true,
  maxBodyBytes: true,
  maxEditBodyBytes: true,
  maxOptions: true,
  prices: true,
  store: true,
  journal: true,
  console: true,
  log: true,
}

function requireOptions(options: ServerOptions): void {
  const unknown = Object.keys(options ?? {}).find((name) => !Object.hasOwn(NAMES, name))
  if (unknown !== undefined)
    throw new InvalidRequestError(unknown, `is no option of a server; those are ${Object.keys(NAMES).join(', ')}`)
  if (typeof options?.engine?.decide !== 'function')
    throw new InvalidRequestError('engine', 'must be an engine, as createEngine() makes one')
}

function requireCounts(options: Readonly<Record<string, number | undefined>>): void {
  for (const [option, value] of Object.entries(options)) {
    if (value === undefined || (Number.isSafeInteger(value) && value >= 1)) continue
    throw new InvalidRequestError(option, `must be a whole number of 1 or more, got ${value}`)
  }
}

function toKeyStore(keys: NonNullable<ServerOptions['keys']>): KeyStore {
  if (isList(keys)) return createKeyStore(keys)
  if (typeof keys?.find === 'function') return keys
  throw new InvalidRequestError('keys', `must be an array of keys, or an object with find(), got ${typeof keys}`)
}

function isList(keys: NonNullable<ServerOptions['keys']>): keys is readonly (string | KeyConfig)[] {
  return Array.isArray(keys)
}
