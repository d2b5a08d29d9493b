const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The trace that a request belongs to, in hexadecimal digits (W3C Trace Context). */
export interface TraceContext {
  readonly traceId: string
  /** The span of whoever sent the request. */
  readonly parentId: string
  /** Bit 0 says whether the sender records the trace. */
  readonly flags: number
}

/** What the header `traceparent` says; undefined where it is missing or malformed, which the standard says to overlook. */
export function readTraceContext(headers: Headers): TraceContext | undefined {
  return parseTraceparent(headers.get('traceparent') ?? '')
}

/** What such a text says; undefined where it says nothing. */
export function parseTraceparent(text: string): TraceContext | undefined {
  const [, traceId, parentId, flags = ''] = TRACEPARENT.exec(text) ?? []
  if (traceId === undefined || parentId === undefined) return undefined
  return /^0+$/.test(traceId) || /^0+$/.test(parentId)
    ? undefined
    : { traceId, parentId, flags: Number.parseInt(flags, 16) }
}

export function formatTraceparent({ traceId, parentId, flags }: TraceContext): string {
  return `00-${traceId}-${parentId}-${flags.toString(16).padStart(2, '0')}`
}
