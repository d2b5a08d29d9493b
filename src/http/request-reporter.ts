import type { TesseraError } from '../errors/index.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import { Refusal } from './refusal.ts'
import type { RequestTrace } from './request-trace.ts'
import type { RecentRequests } from './usage/recent-requests.ts'

/** One answered request, without anything of its content. */
export interface RequestLog {
  /** Also on the response, as `x-request-id`. */
  readonly requestId: string
  readonly method: string
  /** Path of the route; absent where no route took the request. */
  readonly route?: string
  /** Account of the key. */
  readonly account?: string
  /** Of the response; of a streamed one that failed on the way, the status that its error has. */
  readonly status: number
  readonly milliseconds: number
  /** What went wrong, where the fault is the server's own (status 500 and 503). */
  readonly error?: TesseraError
}

export interface ReporterParts {
  readonly metrics: ServerMetrics
  readonly recent: RecentRequests
  readonly log: ((entry: RequestLog) => void) | undefined
}

/** Counts and reports requests whose response is complete. */
export function createRequestReporter({ metrics, recent, log }: ReporterParts) {
  function report(entry: RequestLog): void {
    try {
      log?.(entry)
    } catch (error) {
      // The client has nothing to do with it, and the answer is paid for.
      process.emitWarning(error instanceof Error ? error : String(error), 'TesseraLogWarning')
    }
  }

  /** `answered` is the status that was sent; the error of a streamed response came after it. */
  return function conclude(trace: RequestTrace, answered: number, error: RequestTrace['error']): void {
    const { requestId, method, started, route, account, units = 0 } = trace
    const status = error?.status ?? answered
    const milliseconds = performance.now() - started
    metrics.ended(route?.path, method, status, milliseconds / 1000)
    if (account !== undefined && route?.access === 'work') {
      recent.add(account, { time: Date.now(), requestId, route: route.path, status, milliseconds, units })
    }
    const fault = error !== undefined && !(error instanceof Refusal) && (status === 500 || status === 503)
    report({
      requestId,
      method,
      status,
      milliseconds,
      ...(route && { route: route.path }),
      ...(account !== undefined && { account }),
      ...(fault && { error }),
    })
  }
}
