import { randomUUID } from 'node:crypto'
import { OverloadedError, type TesseraError, toTesseraError } from '../errors/index.ts'
import { createErrorResponse } from './error-response.ts'
import { authenticate } from './keys/authenticate.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { RequestLimiter } from './limits/request-limiter.ts'
import type { ServerMetrics } from './metrics/server-metrics.ts'
import { readJson } from './read-json.ts'
import { Refusal } from './refusal.ts'
import type { Route } from './route.ts'
import { Router } from './router.ts'

/** One answered request, without anything of its content. */
export interface RequestLog {
  /** Also on the response, as `x-request-id`. */
  readonly requestId: string
  readonly method: string
  /** Path of the route; absent where no route took the request. */
  readonly route?: string
  /** Account of the key. */
  readonly account?: string
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
  readonly maxBodyBytes: number
  readonly log: ((entry: RequestLog) => void) | undefined
}

/** What is found out about a request while it is answered. */
interface Trace {
  route?: Route
  account?: string
  error?: TesseraError | Refusal
}

const DRAINING = 'the server is shutting down; retry with backoff'

export function createHandler({ routes, keys, limiter, metrics, maxBodyBytes, log }: Parts) {
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
    const call = { signal, readJson: () => readJson(request, maxBodyBytes) }
    if (route.access === 'open') return route.handle({ ...call, caller: { id: 'anyone' } })
    const caller = await authenticate(request.headers, keys)
    trace.account = caller.id
    if (route.access === 'key') return route.handle({ ...call, caller })
    const leave = await limiter.enter(caller)
    try {
      return await route.handle({ ...call, caller })
    } finally {
      leave()
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
    const milliseconds = performance.now() - started
    const { route, account, error } = trace
    const { method } = request
    const { status } = response
    metrics.ended(route?.path, method, status, milliseconds / 1000)
    const fault = error !== undefined && !(error instanceof Refusal) && (status === 500 || status === 503)
    report({
      requestId, method, status, milliseconds,
      ...(route && { route: route.path }), ...(account !== undefined && { account }), ...(fault && { error }),
    })
    return response
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
      running.add(answered)
      void answered.finally(() => running.delete(answered))
      return answered
    },
    async close(): Promise<void> {
      closing = true
      await Promise.allSettled(running)
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
