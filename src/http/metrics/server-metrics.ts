import type { CallTimings, Engine } from '../../engine/index.ts'
import type { Endpoint } from '../usage/prices.ts'
import { createBuildInfo } from './build-info.ts'
import { createEngineMetrics } from './engine-metrics.ts'
import { Counter, Gauge, Histogram, type Metric, Reading } from './exposition.ts'
import { createProcessMetrics } from './process-metrics.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A decision on a short text takes milliseconds, one on 200,000 characters a minute. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

const STORE_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 2]

const METHODS = ['GET', 'HEAD', 'POST', 'DELETE']

/** What a server counts about itself. Nothing of a request's content or of who sent it. */
export class ServerMetrics {
  #inFlight = 0
  readonly #requests = new Counter('tessera_http_requests_total', 'Answered requests by route, method and status.')
  readonly #seconds = new Histogram('tessera_http_request_duration_seconds', 'Time to the answer.', SECONDS)
  readonly #units = new Counter(
    'tessera_units_total',
    'What successful answers used, by endpoint: input tokens of decisions, else pictures.',
  )
  readonly #refusals = new Counter('tessera_http_refusals_total', 'Errors answered, by error_type.')
  readonly #storeSeconds = new Histogram('tessera_store_duration_seconds', 'Time of calls of the store.', STORE_SECONDS)
  readonly #storeErrors = new Counter('tessera_store_errors_total', 'Calls of the store that failed or took too long.')
  readonly #queueSeconds = new Histogram('tessera_queue_seconds', 'Wait of requests until their model began.', SECONDS)
  readonly #computeSeconds = new Histogram(
    'tessera_compute_seconds',
    'Time in which models worked on requests.',
    SECONDS,
  )
  readonly #jobs = new Counter('tessera_jobs_total', 'Jobs that are over, by status.')
  readonly #webhooks = new Counter('tessera_webhooks_total', 'Webhooks of jobs, by outcome.')
  readonly #more: Metric[]
  readonly #running = new Gauge('tessera_http_requests_in_flight', 'Requests being answered.', () => this.#inFlight)

  constructor(engine: Partial<Pick<Engine, 'activity' | 'backendInfo'>> = {}) {
    this.#more = [...createEngineMetrics(engine), createBuildInfo(engine), ...createProcessMetrics()]
  }

  started(): void {
    this.#inFlight++
  }

  /** @param route Path of the route, undefined where no route took the request. */
  ended(route: string | undefined, method: string, status: number, seconds: number): void {
    this.#inFlight--
    const known = { route: route ?? 'none', method: METHODS.includes(method) ? method : 'other' }
    this.#requests.add({ ...known, status: String(status) })
    if (route !== undefined) this.#seconds.observe({ route, status: `${Math.floor(status / 100)}xx` }, seconds)
  }

  /** Tells where the time of a request went, whatever came of it. */
  worked({ model, queueMs, computeMs }: CallTimings): void {
    this.#queueSeconds.observe({ model }, queueMs / 1000)
    this.#computeSeconds.observe({ model }, computeMs / 1000)
  }

  /** @param reason `error_type` of the response. */
  refused(reason: string): void {
    this.#refusals.add({ reason })
  }

  /** Counts a call of the store. */
  stored(operation: 'read' | 'update' | 'count', seconds: number, failed: boolean): void {
    this.#storeSeconds.observe({ operation }, seconds)
    if (failed) this.#storeErrors.add({ operation })
  }

  /** @param read Whether the keys are older than their source; given back. */
  watchStaleKeys(read: () => boolean): () => boolean {
    const help = 'Whether the keys are older than their source, which cannot be used.'
    this.#more.push(new Gauge('tessera_keys_stale', help, () => Number(read())))
    return read
  }

  /** @param read How many charges wait for the store. */
  watchWaiting(read: () => number): void {
    this.#more.push(new Gauge('tessera_charges_waiting', 'Charges that wait for the store.', read))
  }

  /** @param read Jobs that this process answers, by status. */
  watchJobs(read: () => Readonly<Record<string, number>>): void {
    const list = () => Object.entries(read()).map(([status, value]) => ({ labels: { status }, value }))
    this.#more.push(new Reading('tessera_jobs', 'Jobs that wait for their turn or run.', 'gauge', list))
  }

  webhookEnded(outcome: 'delivered' | 'failed'): void {
    this.#webhooks.add({ outcome })
  }

  jobEnded(status: string): void {
    this.#jobs.add({ status })
  }

  answered(endpoint: Endpoint, units: number): void {
    this.#units.add({ endpoint }, units)
  }

  toText(): string {
    const metrics = [
      this.#requests,
      this.#seconds,
      this.#refusals,
      this.#units,
      this.#running,
      this.#queueSeconds,
      this.#computeSeconds,
      this.#storeSeconds,
      this.#storeErrors,
      this.#jobs,
      this.#webhooks,
      ...this.#more,
    ]
    return `${metrics.flatMap((metric) => metric.lines()).join('\n')}\n`
  }
}
