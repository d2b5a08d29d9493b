import type { TesseraError } from '../errors/index.ts'
import { tell } from '../jobs/tell.ts'
import { showFault } from './describe-fault.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import type { RequestTrace } from './request-trace.ts'
import { serverFault } from './server-fault.ts'
import type { RecentRequests } from './usage/recent-requests.ts'

/** One answered request, without anything of its content. */
export interface RequestLog {
  /**
   * Also on the response, as `x-request-id`. A fault in a line of a batch has the `request_id` of its result, and one of a
   * job that another process began the id of the job: an entry beside that of the request.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ requestId }) => console.log(requestId) })
   * ```
   */
  readonly requestId: string
  /**
   * Method of the request, such as `POST`.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ method }) => console.log(method) })
   * ```
   */
  readonly method: string
  /**
   * Path of the route; absent where no route took the request.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ route }) => console.log(route) })
   * ```
   */
  readonly route?: string
  /**
   * Account of the key.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ account }) => console.log(account) })
   * ```
   */
  readonly account?: string
  /**
   * The trace that the request says it belongs to (`traceparent`), in 32 hexadecimal digits.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ traceId }) => console.log(traceId) })
   * ```
   */
  readonly traceId?: string
  /**
   * Model that worked on the request: its hub id, or the name of its folder.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ model }) => console.log(model) })
   * ```
   */
  readonly model?: string
  /**
   * Milliseconds that the request waited for that model.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ queueMs }) => console.log(queueMs) })
   * ```
   */
  readonly queueMs?: number
  /**
   * Milliseconds that the model took, in which requests that run at the same time take turns.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ computeMs }) => console.log(computeMs) })
   * ```
   */
  readonly computeMs?: number
  /**
   * What the answer used: input tokens of a decision, else images.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ units }) => console.log(units) })
   * ```
   */
  readonly units?: number
  /**
   * Length of the body, as the request says it.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ bytesIn }) => console.log(bytesIn) })
   * ```
   */
  readonly bytesIn?: number
  /**
   * Length of the body of the response; absent for a stream.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ bytesOut }) => console.log(bytesOut) })
   * ```
   */
  readonly bytesOut?: number
  /**
   * Of the response; of a streamed one that failed on the way, the status that its error has.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ status }) => console.log(status) })
   * ```
   */
  readonly status: number
  /**
   * Milliseconds from the arrival of the request to the end of its response.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ milliseconds }) => console.log(milliseconds) })
   * ```
   */
  readonly milliseconds: number
  /**
   * What went wrong, where the fault is the server's own: any status from 500 on, and 529 where more than being busy is why,
   * such as a queue that cannot be reached.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, log: ({ error }) => console.log(error) })
   * ```
   */
  readonly error?: TesseraError
}

export type Log = (entry: RequestLog) => void

/** The log of a server that was given none: its own faults on stderr, as clients are told the id alone. */
export function logFaults({ requestId, route = '', status, error }: RequestLog): void {
  if (error) showFault(`${status} ${route} ${requestId}`, error)
}

/** A log that never throws, nor rejects later: the client has nothing to do with it, and the answer is paid for. */
export function safeLog<Entry>(log: ((entry: Entry) => unknown) | undefined): (entry: Entry) => void {
  return (entry) =>
    tell(log, entry, (error) =>
      process.emitWarning(error instanceof Error ? error : String(error), 'TesseraLogWarning'),
    )
}

export interface ReporterParts {
  readonly metrics: ServerMetrics
  readonly recent: RecentRequests
  readonly log: Log
}

/** Counts and reports requests whose response is complete. */
export function createRequestReporter({ metrics, recent, log }: ReporterParts) {
  /** The error of a streamed response came after its status was sent. */
  return function conclude(trace: RequestTrace, response: Response, error: RequestTrace['error']): void {
    const { requestId, method, started, route, account, units = 0, timings, context, bytesIn } = trace
    const status = error?.status ?? response.status
    const length = response.headers.get('content-length')
    const milliseconds = performance.now() - started
    if (timings) metrics.worked(timings)
    trace.span?.end({ route: route?.path, status, units, error: error?.errorType })
    if (error) metrics.refused(error.errorType)
    metrics.ended(route?.path, method, status, milliseconds / 1000)
    if (account !== undefined && route?.access === 'work') {
      recent.add(account, { time: Date.now(), requestId, route: route.path, status, milliseconds, units })
    }
    const fault = serverFault(error)
    log({
      requestId,
      method,
      status,
      milliseconds,
      ...(route && { route: route.path }),
      ...(account !== undefined && { account }),
      ...(context && { traceId: context.traceId }),
      ...timings,
      ...(units > 0 && { units }),
      ...(bytesIn !== undefined && { bytesIn }),
      ...(length !== null && { bytesOut: Number(length) }),
      ...(fault && { error: fault }),
    })
  }
}
