import type * as OpenTelemetry from '@opentelemetry/api'
import { version } from '../../package.json'
import type { CallTimings } from '../engine/index.ts'
import type { TraceContext } from './trace-context.ts'

type Api = typeof OpenTelemetry

/** What is known of a request when it has been answered; nothing of its content. */
interface SpanEnd {
  /** Path of the route; absent where no route took the request. */
  readonly route?: string | undefined
  readonly status: number
  readonly units: number
  /** `error_type` of what went wrong. */
  readonly error?: string | undefined
}

/** The span of a request. */
export interface RequestSpan {
  /** Does some work inside of the span, so that spans which it begins are children. */
  run<T>(work: () => Promise<T>): Promise<T>
  /** Adds what a call of the engine was, which has just ended, as two spans: `queue` and `compute`. */
  worked(timings: CallTimings): void
  end(end: SpanEnd): void
}

export type Tracing = (request: {
  readonly method: string
  readonly requestId: string
  readonly context?: TraceContext | undefined
}) => RequestSpan

/** @returns undefined where the package is not installed, or, which a warning tells, does not load */
export async function loadOpenTelemetry(
  load: () => Promise<Api> = () => import('@opentelemetry/api'),
): Promise<Api | undefined> {
  try {
    return await load()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'MODULE_NOT_FOUND') {
      process.emitWarning(error instanceof Error ? error : String(error), 'TesseraTracingWarning')
    }
    return undefined
  }
}

/**
 * Spans through `@opentelemetry/api`, for whichever SDK the app has set up; without one they cost next to nothing.
 *
 * @returns undefined without that package
 */
export async function loadTracing(load?: () => Promise<Api>): Promise<Tracing | undefined> {
  const api = await loadOpenTelemetry(load)
  return api && createTracing(api)
}

/** The same with the first request: a service that starts has more pressing things to read. */
export function tracingOnDemand(): () => Promise<Tracing | undefined> {
  let loading: Promise<Tracing | undefined> | undefined
  return () => (loading ??= loadTracing())
}

function createTracing({ trace, context, SpanKind, SpanStatusCode }: Api): Tracing {
  const tracer = () => trace.getTracer('tessera-onnx', version)

  /** An app that traces its own requests has a span that this one belongs to; else the sender of the request may have one. */
  function parentOf(remote: TraceContext | undefined) {
    const active = context.active()
    if (trace.getSpan(active) !== undefined || remote === undefined) return active
    const { traceId, parentId: spanId, flags: traceFlags } = remote
    return trace.setSpanContext(active, { traceId, spanId, traceFlags, isRemote: true })
  }

  return ({ method, requestId, context: remote }) => {
    const attributes = { 'http.request.method': method, 'tessera.request_id': requestId }
    const span = tracer().startSpan(method, { kind: SpanKind.SERVER, attributes }, parentOf(remote))
    const inside = trace.setSpan(context.active(), span)
    return {
      run: (work) => context.with(inside, work),
      worked({ model, queueMs, computeMs }) {
        const end = performance.timeOrigin + performance.now()
        const began = end - computeMs
        const child = (name: string, startTime: number, endTime: number) =>
          tracer()
            .startSpan(name, { startTime, attributes: { 'tessera.model': model } }, inside)
            .end(endTime)
        child('queue', began - queueMs, began)
        child('compute', began, end)
      },
      end({ route, status, units, error }) {
        if (route !== undefined) name(span, method, route)
        span.setAttribute('http.response.status_code', status)
        if (units > 0) span.setAttribute('tessera.units', units)
        if (error !== undefined) span.setAttribute('error.type', error)
        // What a client did wrong is no error of a server, by the conventions of OpenTelemetry.
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
      },
    }
  }
}

function name(span: OpenTelemetry.Span, method: string, route: string): void {
  span.updateName(`${method} ${route}`)
  span.setAttribute('http.route', route)
}
