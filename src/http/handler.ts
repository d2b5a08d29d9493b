import { randomUUID } from 'node:crypto'
import { OverloadedError, type TesseraError, toTesseraError } from '../errors/index.ts'
import { createBodyReaders } from './body-readers.ts'
import { createErrorResponse } from './error-response.ts'
import { authenticate } from './keys/authenticate.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { RequestLimiter } from './limits/request-limiter.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import { Refusal } from './refusal.ts'
import type { Route } from './route.ts'
import { Router } from './router.ts'
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

interface Parts {
  readonly routes: readonly Route[]
  readonly keys: KeyStore | undefined
  readonly limiter: RequestLimiter
  readonly metrics: ServerMetrics
  readonly recent: RecentRequests
  readonly maxBodyBytes: number
  readonly log: ((entry: RequestLog) => void) | undefined
}

/** What is found out about a request while it is answered. */
interface Trace {
  route?: Route
  account?: string
  error?: TesseraError | Refusal | undefined
  units?: number
  /** Of a response whose body goes on. */
  ended?: Promise<TesseraError | undefined>
}

const DRAINING = 'the server is shutting down; retry with backoff'

export function createHandler({ routes, keys, limiter, metrics, recent, maxBodyBytes, log }: Parts) {
  const router = new Router(routes)
  const running = new Set<Promise<unknown>>()
  let closing = false

  async function answer(request: Request, trace: Trace): Promise<Response> {
    const { pathname } = new URL(request.url)
    // Errors speak the wire of their path, also where the method is wrong.
    const [nearest] = router.at(pathname)
    if (nearest) trace.route = nearest
    if (closing) throw new OverloadedError(DRAINING)
    const route = router.find(request.method, pathname)
    trace.route = route
    const { signal } = request
    const holdUntil = (ended: Promise<TesseraError | undefined>) => void (trace.ended = ended)
    const noteUnits = (units: number) => void (trace.units = units)
    const readers = createBodyReaders(request, route.maxBodyBytes ?? maxBodyBytes)
    const call = { signal, holdUntil, noteUnits, ...readers }
    if (route.access === 'open') return route.handle({ ...call, caller: { id: 'anyone' } })
    const caller = await authenticate(request.headers, keys)
    trace.account = caller.id
    if (route.access === 'key') return route.handle({ ...call, caller })
    const leave = await limiter.enter(caller)
    try {
      return await route.handle({ ...call, caller })
    } finally {
      if (trace.ended) void trace.ended.then(leave)
      else leave()
    }
  }

  async function answerAlways(request: Request, trace: Trace): Promise<Response> {
    try {
      return await answer(request, trace)
    } catch (thrown) {
      const error = thrown instanceof Refusal ? thrown : toTesseraError(thrown)
      trace.error = error
      return createErrorResponse(error, trace.route?.dialect ?? 'systemone')
    }
  }

  async function serve(request: Request): Promise<Response> {
    const started = performance.now()
    const requestId = `req_${randomUUID().replaceAll('-', '')}`
    const trace: Trace = {}
    metrics.started()
    const response = finish(await answerAlways(request, trace), requestId, request.method)
    const end = (error: Trace['error']) =>
      conclude(requestId, request.method, response.status, performance.now() - started, { ...trace, error })
    if (trace.ended) hold(trace.ended.then(end))
    else end(trace.error)
    return response
  }

  /** Counts and reports a request whose response is complete. */
  function conclude(requestId: string, method: string, answered: number, milliseconds: number, trace: Trace): void {
    const { route, account, error, units = 0 } = trace
    const status = error?.status ?? answered
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

  /** Keeps `close` waiting. */
  function hold(work: Promise<unknown>): void {
    running.add(work)
    void work.finally(() => running.delete(work))
  }

  function report(entry: RequestLog): void {
    try {
      log?.(entry)
    } catch (error) {
      // The client has nothing to do with it, and the answer is paid for.
      process.emitWarning(error instanceof Error ? error : String(error), 'TesseraLogWarning')
    }
  }

  return {
    fetch(request: Request): Promise<Response> {
      const answered = serve(request)
      hold(answered)
      return answered
    },
    async close(): Promise<void> {
      closing = true
      // A response that is held open joins those that run only when its headers are out.
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

function finish(response: Response, requestId: string, method: string): Response {
  const headers = new Headers(response.headers)
  headers.set('x-request-id', requestId)
  headers.set('x-typesafe-request-id', requestId)
  headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
  return new Response(method === 'HEAD' ? null : response.body, { status: response.status, headers })
}
