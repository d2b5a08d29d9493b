import { InvalidRequestError } from '../errors/index.ts'
import type { Engine } from '../engine/index.ts'
import { createDecisionService } from './decisions/decision-service.ts'
import { createOpenAiRoute } from './decisions/openai-route.ts'
import { createSystemOneRoute } from './decisions/systemone-route.ts'
import { createHandler, type RequestLog } from './handler.ts'
import type { KeyConfig } from './keys/key-config.ts'
import type { KeyStore } from './keys/key-store.ts'
import { createKeyStore, readKeysFromEnvironment } from './keys/static-keys.ts'
import { RequestLimiter, type RequestLimits } from './limits/request-limiter.ts'
import { ServerMetrics } from './metrics/server-metrics.ts'
import { createModelsRoute } from './routes/models-route.ts'
import { createOpenApiRoute } from './routes/openapi-route.ts'
import { createHealthRoute, createMetricsRoute } from './routes/status-routes.ts'
import { type DailyUsage, Ledger, type MonthlyUsage } from './usage/ledger.ts'
import { createMemoryStore } from './usage/memory-store.ts'
import { DEFAULT_PRICES, type Prices } from './usage/prices.ts'
import { RecentRequests } from './usage/recent-requests.ts'
import type { UsageStore } from './usage/usage-store.ts'

export interface ServerOptions {
  /** Answers the requests. It stays the caller's: `close()` does not dispose it. */
  readonly engine: Pick<Engine, 'decide' | 'countTokens' | 'models'>
  /** Keys, or where to look them up. Default: `TESSERA_API_KEYS`; where that is not set either, no key is needed. */
  readonly keys?: KeyStore | readonly (string | KeyConfig)[]
  /** Limits of keys that set none of their own. */
  readonly limits?: RequestLimits
  /** Largest body in bytes; default 8 MiB. 200,000 characters take up to 2.4 MB as JSON escapes. */
  readonly maxBodyBytes?: number
  /** What answers cost; default, also for an endpoint that is left out, as in the specification. */
  readonly prices?: Partial<Prices>
  /** Where usage is kept; default in memory. It stays the caller's: `close()` does not close it. */
  readonly store?: UsageStore
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
  /** Refuses new requests with 529 and resolves when those being answered are. Safe to call twice. */
  close(): Promise<void>
}

const MAX_BODY_BYTES = 8 * 2 ** 20
const KEYED_CONCURRENCY = 32

/**
 * The service of the specification as a web-standard handler.
 *
 * @throws InvalidRequestError for an option that is no valid value
 */
export function createServer(options: ServerOptions): Server {
  const { engine, maxBodyBytes = MAX_BODY_BYTES, prices, store = createMemoryStore(), log } = options
  const keys = options.keys === undefined ? readKeysFromEnvironment(process.env) : toKeyStore(options.keys)
  if (!Number.isSafeInteger(maxBodyBytes) || maxBodyBytes < 1) {
    throw new InvalidRequestError('maxBodyBytes', `must be a whole number of 1 or more, got ${maxBodyBytes}`)
  }
  const ledger = new Ledger(store, { ...DEFAULT_PRICES, ...prices })
  const metrics = new ServerMetrics()
  const decisions = createDecisionService({ engine, ledger, metrics })
  const recent = new RecentRequests()
  const handler = createHandler({
    routes: [
      createSystemOneRoute(decisions),
      createOpenAiRoute(decisions),
      createModelsRoute(engine),
      createOpenApiRoute(),
      createHealthRoute(),
      createMetricsRoute(metrics),
    ],
    keys,
    limiter: new RequestLimiter({ ...keys && { concurrency: KEYED_CONCURRENCY }, ...options.limits }),
    metrics,
    recent,
    maxBodyBytes,
    log,
  })
  return {
    ...handler,
    usage: (account) => ledger.usage(account),
    usageByDay: (account) => ledger.usageByDay(account),
  }
}

function toKeyStore(keys: NonNullable<ServerOptions['keys']>): KeyStore {
  return isList(keys) ? createKeyStore(keys) : keys
}

function isList(keys: NonNullable<ServerOptions['keys']>): keys is readonly (string | KeyConfig)[] {
  return Array.isArray(keys)
}
