import { METRICS_TYPE, type ServerMetrics } from '../metrics/server-metrics.ts'
import type { Route } from '../route.ts'

/** `GET /healthz`: 200 as long as requests are taken. */
export function createHealthRoute(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    access: 'open',
    dialect: 'systemone',
    handle: () => Response.json({ status: 'ok' }),
  }
}

/** `GET /metrics` for Prometheus. It needs a key, since it tells how busy the server is. */
export function createMetricsRoute(metrics: ServerMetrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    access: 'key',
    dialect: 'systemone',
    handle: () => new Response(metrics.toText(), { headers: { 'content-type': METRICS_TYPE } }),
  }
}
