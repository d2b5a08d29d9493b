import type { Endpoint } from '../usage/prices.ts'
import { Counter, Gauge, Histogram } from './exposition.ts'

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8'

/** A decision on a short text takes milliseconds, one on 200,000 characters a minute. */
const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

const METHODS = ['GET', 'HEAD', 'POST']

/** What a server counts about itself. Nothing of a request's content or of who sent it. */
export class ServerMetrics {
  #inFlight = 0
  readonly #requests = new Counter('tessera_http_requests_total', 'Answered requests by route, method and status.')
  readonly #seconds = new Histogram('tessera_http_request_duration_seconds', 'Time to the answer.', SECONDS)
  readonly #units = new Counter(
    'tessera_units_total',
    'What successful answers used, by endpoint: input tokens of decisions, else pictures.',
  )
  readonly #running = new Gauge('tessera_http_requests_in_flight', 'Requests being answered.', () => this.#inFlight)

  get inFlight(): number {
    return this.#inFlight
  }

  started(): void {
    this.#inFlight++
  }

  /** @param route Path of the route, undefined where no route took the request. */
  ended(route: string | undefined, method: string, status: number, seconds: number): void {
    this.#inFlight--
    const known = { route: route ?? 'none', method: METHODS.includes(method) ? method : 'other' }
    this.#requests.add({ ...known, status: String(status) })
    if (route !== undefined) this.#seconds.observe({ route }, seconds)
  }

  answered(endpoint: Endpoint, units: number): void {
    this.#units.add({ endpoint }, units)
  }

  toText(): string {
    const metrics = [this.#requests, this.#seconds, this.#units, this.#running]
    return `${metrics.flatMap((metric) => metric.lines()).join('\n')}\n`
  }
}
