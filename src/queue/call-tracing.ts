import type * as OpenTelemetry from '@opentelemetry/api'
import { version } from '../../package.json'
import { errorFromJSON } from '../errors/index.ts'
import { modelName } from '../http/model-name.ts'
import { formatTraceparent, parseTraceparent } from '../http/trace-context.ts'
import { loadOpenTelemetry } from '../http/tracing.ts'
import type { Outcome, QueuedKind } from './queued-call.ts'

/** Traces that go on from a front to its workers, for whichever SDK their apps have set up. */
export interface CallTracing {
  /** The span that is open here, as `traceparent` has it (W3C Trace Context); undefined without one. */
  current(): string | undefined
  /** Works on a call in a span of its own, below the one that `traceparent` names. */
  work(
    call: { readonly kind: QueuedKind; readonly traceparent?: string | undefined },
    work: () => Promise<Outcome>,
  ): Promise<Outcome>
}

const UNTRACED: CallTracing = { current: () => undefined, work: (_, work) => work() }

/** Reads `@opentelemetry/api` with the first call; without that package nothing is traced. */
export function callTracingOnDemand(): () => Promise<CallTracing> {
  let loading: Promise<CallTracing> | undefined
  return () => (loading ??= loadOpenTelemetry().then((api) => (api ? createCallTracing(api) : UNTRACED)))
}

function createCallTracing({ trace, context, SpanKind, SpanStatusCode }: typeof OpenTelemetry): CallTracing {
  /** Where the sender names no span, one that the app of the worker has open itself may be above. */
  function parentOf(traceparent = '') {
    const remote = parseTraceparent(traceparent)
    if (remote === undefined) return context.active()
    const { traceId, parentId: spanId, flags: traceFlags } = remote
    return trace.setSpanContext(context.active(), { traceId, spanId, traceFlags, isRemote: true })
  }

  return {
    current() {
      const open = trace.getSpanContext(context.active())
      return open && formatTraceparent({ traceId: open.traceId, parentId: open.spanId, flags: open.traceFlags })
    },
    async work({ kind, traceparent }, work) {
      const parent = parentOf(traceparent)
      const span = trace.getTracer('tessera-onnx', version).startSpan(kind, { kind: SpanKind.CONSUMER }, parent)
      try {
        const outcome = await context.with(trace.setSpan(parent, span), work)
        if (outcome.timings) span.setAttribute('tessera.model', modelName(outcome.timings.model))
        if ('error' in outcome) {
          const { errorType, status } = errorFromJSON(outcome.error)
          span.setAttribute('error.type', errorType)
          // What a client did wrong is no error of a worker.
          if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        }
        return outcome
      } finally {
        span.end()
      }
    },
  }
}
