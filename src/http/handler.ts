import { randomUUID } from 'node:crypto'
import { AbortedError, OverloadedError, type TesseraError, toTesseraError } from '../errors/index.ts'
import { type AnswerParts, answerRequest } from './answer-request.ts'
import { createErrorResponse } from './error-response.ts'
import { AdminLimiter } from './limits/admin-limiter.ts'
import type { Allowance } from './limits/count-requests.ts'
import { Refusal } from './refusal.ts'
import { createRequestReporter, type ReporterParts } from './request-reporter.ts'
import type { RequestTrace } from './request-trace.ts'
import type { Route } from './route.ts'
import { Router } from './router.ts'
import { readTraceContext } from './trace-context.ts'
import { tracingOnDemand } from './tracing.ts'

interface HandlerParts extends Omit<AnswerParts, 'admin'>, ReporterParts {
  readonly routes: readonly Route[]
}

const DRAINING = 'the server is shutting down; retry with backoff'

export function createHandler({ routes, ...given }: HandlerParts) {
  const parts = { ...given, admin: new AdminLimiter() }
  const router = new Router(routes)
  const conclude = createRequestReporter(parts)
  const running = new Set<Promise<unknown>>()
  let closing = false
  const tracing = tracingOnDemand()

  async function answer(request: Request, trace: RequestTrace): Promise<Response> {
    try {
      const { pathname } = new URL(request.url)
      // Errors speak the wire of their path, also where the method is wrong.
      const [nearest] = router.at(pathname)
      if (nearest) trace.route = nearest
      if (closing && !nearest?.isAnsweredWhileClosing) throw new OverloadedError(DRAINING)
      trace.route = router.find(request.method, pathname)
      return await answerRequest(parts, request, trace.route, trace)
    } catch (thrown) {
      trace.error = explain(thrown, request.signal)
      // Clients of both kinds ask for paths that are not there.
      return createErrorResponse(trace.error, trace.route?.dialect ?? 'openai')
    }
  }

  async function serve(request: Request): Promise<Response> {
    const trace = startTrace(request)
    parts.metrics.started()
    trace.span = (await tracing())?.(trace)
    const response = finish(await inSpan(trace, () => answer(request, trace)), trace)
    if (trace.ended) void hold(trace.ended.then((error) => conclude(trace, response, error)))
    else conclude(trace, response, trace.error)
    return response
  }

  /** Keeps `close` waiting. */
  function hold<T>(work: Promise<T>): Promise<T> {
    running.add(work)
    void work.finally(() => running.delete(work))
    return work
  }

  return {
    fetch: (request: Request): Promise<Response> => hold(serve(request)),
    async close(): Promise<void> {
      closing = true
      // A response that is held open joins those that run only when its headers are out.
      while (running.size > 0) await Promise.allSettled(running)
    },
  }
}

/** A server that gave up on a request says why; a client that hung up does not. */
function explain(thrown: unknown, { reason }: AbortSignal): TesseraError | Refusal {
  if (thrown instanceof Refusal) return thrown
  const error = toTesseraError(thrown)
  return AbortedError.isInstance(error) && reason instanceof Refusal ? reason : error
}

function inSpan<T>({ span }: RequestTrace, work: () => Promise<T>): Promise<T> {
  return span ? span.run(work) : work()
}

function startTrace({ method, headers }: Request): RequestTrace {
  const length = Number(headers.get('content-length') ?? Number.NaN)
  return {
    requestId: `req_${randomUUID().replaceAll('-', '')}`,
    method,
    started: performance.now(),
    context: readTraceContext(headers),
    ...(Number.isSafeInteger(length) && { bytesIn: length }),
  }
}

function finish(response: Response, { requestId, method, requests, tokens }: RequestTrace): Response {
  const headers = new Headers(response.headers)
  if (requests) setAllowance(headers, 'requests', requests)
  if (tokens) setAllowance(headers, 'tokens', tokens)
  headers.set('x-request-id', requestId)
  headers.set('x-typesafe-request-id', requestId)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  headers.set('x-content-type-options', 'nosniff')
  // Whoever made it would wait for it to be read.
  if (method === 'HEAD') void response.body?.cancel()
  return new Response(method === 'HEAD' ? null : response.body, { status: response.status, headers })
}

/** As OpenAI's clients read them: two numbers and a duration. */
function setAllowance(headers: Headers, of: 'requests' | 'tokens', { perMinute, remaining, resetMs }: Allowance): void {
  headers.set(`x-ratelimit-limit-${of}`, String(perMinute))
  headers.set(`x-ratelimit-remaining-${of}`, String(remaining))
  headers.set(`x-ratelimit-reset-${of}`, `${Math.ceil(resetMs / 1000)}s`)
}
