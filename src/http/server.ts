import { createAdminRoutes } from './admin/admin-routes.ts'
import { createBatchRoutes } from './batches/batch-routes.ts'
import { BodyParser } from './body/body-parser.ts'
import { BodyRooms } from './body/body-rooms.ts'
import { createConsoleRoutes } from './console/console-routes.ts'
import { createDecisionService } from './decisions/decision-service.ts'
import { createOpenAiRoute } from './decisions/openai-route.ts'
import { createSystemOneRoute } from './decisions/systemone-route.ts'
import { createHandler } from './handler.ts'
import { createEditsRoute } from './images/edits-route.ts'
import { createGenerationsRoute } from './images/generations-route.ts'
import { withBackground } from './jobs/background-route.ts'
import { faultTeller } from './jobs/job-faults.ts'
import { createJobRoutes } from './jobs/job-routes.ts'
import type { JobStore } from './jobs/job-store.ts'
import type { Job } from './jobs/job.ts'
import { Jobs } from './jobs/jobs.ts'
import { MemoryJobStore } from './jobs/memory-job-store.ts'
import type { KeyStore } from './keys/key-store.ts'
import { payerNowOf } from './keys/payer-now.ts'
import { readKeysFromEnvironment, toKeyStore } from './keys/static-keys.ts'
import { StoredKeys, withStored } from './keys/stored-keys.ts'
import { type RateLimits, RequestLimiter } from './limits/request-limiter.ts'
import { TokenLimiter } from './limits/token-limiter.ts'
import { ServerMetrics } from './metrics/server-metrics.ts'
import { safeLog } from './request-reporter.ts'
import type { Route } from './route.ts'
import { createModelRoutes } from './routes/model-routes.ts'
import { createOpenApiRoute } from './routes/openapi-route.ts'
import { shareModels } from './routes/share-models.ts'
import {
  createHealthRoute,
  createLivenessRoute,
  createMetricsRoute,
  createReadinessRoute,
} from './routes/status-routes.ts'
import { createUsageRoute } from './routes/usage-route.ts'
import { type ResolvedServerOptions, resolveServerOptions, type ServerOptions } from './server-options.ts'
import { boundStore } from './usage/bounded-store.ts'
import type { Accounting } from './usage/charge-answer.ts'
import { IdempotentRequests } from './usage/idempotent-requests.ts'
import { Ledger } from './usage/ledger.ts'
import { createMemoryStore } from './usage/memory-store.ts'
import { DEFAULT_PRICES } from './usage/prices.ts'
import { RecentRequests } from './usage/recent-requests.ts'
import { RunningWork } from './usage/running-work.ts'
import type { DailyUsage, MonthlyUsage } from './usage/usage-rows.ts'
import type { UsageStore } from './usage/usage-store.ts'
import { createWebhookSecretRoute } from './webhooks/secret-route.ts'
import { secretsOfEnvironment } from './webhooks/sign-webhook.ts'
import type { WebhookOptions } from './webhooks/webhook-options.ts'
import { Webhooks } from './webhooks/webhooks.ts'

/** The HTTP service as a handler of web requests, which adapters mount into frameworks. */
export interface Server {
  /**
   * Answers a request, whatever it is: it never rejects. `request.signal` stops the work.
   *
   * @example
   * ```ts
   * const server = createServer({ engine })
   * const response = await server.fetch(new Request('http://localhost/v1/models'))
   * ```
   */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * What an account has used, by month and endpoint, oldest first.
   *
   * @example
   * ```ts
   * const server = createServer({ engine })
   * for (const { month, endpoint, units, cost } of await server.usage('shop')) console.log(month, endpoint, units, cost)
   * ```
   */
  usage(account: string): Promise<MonthlyUsage[]>
  /**
   * The same by day, for the last 92 days that anything was answered on.
   *
   * @example
   * ```ts
   * const server = createServer({ engine })
   * for (const { day, units } of await server.usageByDay('shop')) console.log(day, units)
   * ```
   */
  usageByDay(account: string): Promise<DailyUsage[]>
  /**
   * Has `/readyz` say that no more requests should come; those that do are answered.
   *
   * @example
   * ```ts
   * const server = createServer({ engine })
   * process.once('SIGTERM', () => server.drain())
   * ```
   */
  drain(): void
  /**
   * Refuses new requests with 529, and resolves when those being answered are and charges that wait for the store were
   * tried once more. Jobs that are not over are stopped and not charged, but what was answered of batches. Safe to call twice.
   *
   * @example
   * ```ts
   * const server = createServer({ engine })
   * await server.close()
   * await engine.dispose()
   * ```
   */
  close(): Promise<void>
}

const KEYED_CONCURRENCY = 32

/**
 * The service of the specification as a web-standard handler.
 *
 * @example
 * ```ts
 * const server = createServer({ engine: await createEngine(), keys: ['a-long-secret'] })
 * createNodeServer(server).listen(8080)
 * ```
 *
 * @throws InvalidRequestError for an option that is no valid value
 */
export function createServer(options: ServerOptions): Server {
  const resolved = resolveServerOptions(options)
  const { engine, limits, maxBodyBytes, maxBufferedBytes, hosts, requires, log } = resolved
  const given = resolved.keys === undefined ? readKeysFromEnvironment(process.env) : toKeyStore(resolved.keys)
  const metrics = new ServerMetrics(engine)
  const store = boundStore(resolved.store ?? createMemoryStore(), metrics)
  const stored = new StoredKeys(store)
  const keys = given && withStored(given, stored)
  const accounting = { ...openAccounting(store, metrics, resolved), payerNow: payerNowOf(given, stored) }
  const { ledger } = accounting
  const [recent, models] = [new RecentRequests(), shareModels(engine)]
  const { jobs, webhooks } = openJobs(metrics, resolved)
  const parser = new BodyParser()
  const hasStaleKeys = metrics.watchStaleKeys(() => keys?.isStale ?? false)
  let isDraining = false
  const handler = createHandler({
    routes: [
      ...createWorkRoutes(accounting, resolved, { jobs, webhooks, hasKeys: keys !== undefined }),
      ...createModelRoutes(models),
      createUsageRoute(ledger, recent),
      ...createAdminRoutes({ store, ledger, given, stored }),
      createOpenApiRoute(resolved),
      createHealthRoute(),
      createLivenessRoute(),
      createReadinessRoute({ engine, models, store, requires, isDraining: () => isDraining, hasStaleKeys }),
      createMetricsRoute(metrics),
      ...(resolved.console ? createConsoleRoutes(keys !== undefined) : []),
    ],
    keys,
    limiter: openLimiter(limits, keys, store),
    metrics,
    recent,
    maxBodyBytes,
    budget: new BodyRooms(maxBufferedBytes),
    parser,
    hosts,
    log: safeLog(log),
  })
  return {
    fetch: handler.fetch,
    drain: () => void (isDraining = true),
    async close() {
      isDraining = true
      await Promise.all([handler.close(), jobs.close()])
      await Promise.all([accounting.running.close(), ledger.close(), parser.close(), webhooks.close()])
    },
    usage: (account) => ledger.usage(account),
    usageByDay: (account) => ledger.usageByDay(account),
  }
}

function openAccounting(
  store: UsageStore,
  metrics: ServerMetrics,
  { prices, journal, limits }: ResolvedServerOptions,
): Omit<Accounting, 'payerNow'> {
  const ledger = new Ledger(store, { ...DEFAULT_PRICES, ...prices }, journal)
  metrics.watchWaiting(() => ledger.waiting)
  const tokens = new TokenLimiter(limits.tokensPerMinute, store.countRequest)
  return { ledger, requests: new IdempotentRequests(store), running: new RunningWork(), tokens, metrics }
}

function openLimiter(limits: RateLimits, keys: KeyStore | undefined, store: UsageStore): RequestLimiter {
  const concurrency = limits.concurrency ?? (keys && KEYED_CONCURRENCY)
  return new RequestLimiter({ ...limits, ...(concurrency && { concurrency }) }, store.countRequest)
}

function openWebhooks(metrics: ServerMetrics, settings: WebhookOptions, { shared }: JobStore): Webhooks {
  const secret = settings.secret ?? secretsOfEnvironment()
  const onEnded = (outcome: 'delivered' | 'failed') => metrics.webhookEnded(outcome)
  return new Webhooks({ ...settings, ...(secret !== undefined && { secret }), onEnded, kept: shared?.webhooks })
}

function openJobs(
  metrics: ServerMetrics,
  {
    jobs: { concurrency, store = new MemoryJobStore() },
    webhooks: settings,
    maxBufferedBytes,
    log,
  }: ResolvedServerOptions,
) {
  const webhooks = openWebhooks(metrics, settings, store)
  const onEnded = (job: Job) => {
    metrics.jobEnded(job.status)
    webhooks.deliver(job)
  }
  const checkWebhook = (address: string) => webhooks.check(address)
  const tellFault = faultTeller(safeLog(log))
  const jobs = new Jobs({ store, concurrency, mostUnread: maxBufferedBytes, onEnded, tellFault, checkWebhook })
  metrics.watchJobs(() => jobs.counts)
  return { jobs, webhooks }
}

/** The routes on which answers are charged, and those of the jobs that they may be. */
function createWorkRoutes(
  accounting: Accounting,
  options: ResolvedServerOptions,
  { jobs, webhooks, hasKeys }: ReturnType<typeof openJobs> & { readonly hasKeys: boolean },
): Route[] {
  const { engine, maxEditBodyBytes, maxOptions } = options
  const decisions = createDecisionService({
    engine,
    hasKeys,
    ...accounting,
    ...(maxOptions !== undefined && { maxOptions }),
  })
  const work = [
    createSystemOneRoute(decisions, options),
    createOpenAiRoute(decisions, options),
    createGenerationsRoute(engine, accounting, maxEditBodyBytes),
    createEditsRoute(engine, accounting, maxEditBodyBytes),
  ]
  return [
    ...work.map((route) => withBackground(route, jobs)),
    ...createBatchRoutes({ decisions, requests: accounting.requests }, options, jobs),
    ...createJobRoutes(jobs, hasKeys),
    createWebhookSecretRoute(webhooks),
  ]
}
