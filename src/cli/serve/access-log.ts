import type { RequestLog } from '../../http/index.ts'

/** One line of JSON for a request: who, what and how long, and nothing of its content. */
export function formatAccess(entry: RequestLog, time: Date): string {
  const { requestId, traceId, method, route, account, model, status, units, bytesIn, bytesOut, error } = entry
  return JSON.stringify({
    time: time.toISOString(),
    request_id: requestId,
    trace_id: traceId,
    method,
    route,
    account,
    model,
    status,
    milliseconds: round(entry.milliseconds),
    queue_ms: round(entry.queueMs),
    compute_ms: round(entry.computeMs),
    units,
    bytes_in: bytesIn,
    bytes_out: bytesOut,
    error: error?.code,
  })
}

function round(milliseconds: number | undefined): number | undefined {
  return milliseconds === undefined ? undefined : Math.round(milliseconds * 1000) / 1000
}
