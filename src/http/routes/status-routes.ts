import * as z from 'zod'
import type { Engine } from '../../engine/index.ts'
import { createJsonResponse } from '../json-response.ts'
import { METRICS_TYPE, type ServerMetrics } from '../metrics/server-metrics.ts'
import type { Route } from '../route.ts'
import type { UsageStore } from '../usage/usage-store.ts'

/** Body of `GET /healthz`, `/livez` and `/readyz`. */
export const serverStatusSchema = z.object({
  status: z.enum(['ok', 'ready', 'unavailable']),
  /** Why new requests should go elsewhere. */
  missing: z.array(z.enum(['draining', 'store', 'models'])).optional(),
  /** What could not be read anew, and holds as it was. */
  stale: z.array(z.literal('keys')).optional(),
})

type ServerStatus = z.output<typeof serverStatusSchema>

const OK: ServerStatus = { status: 'ok' }
const OPEN = { method: 'GET', access: 'open', dialect: 'systemone' } as const

/** `GET /healthz`: 200 as long as requests are taken. */
export function createHealthRoute(): Route {
  return { ...OPEN, path: '/healthz', handle: () => createJsonResponse(OK) }
}

/** `GET /livez`: 200 as long as the process answers at all, also while it drains. */
export function createLivenessRoute(): Route {
  return { ...OPEN, path: '/livez', isAnsweredWhileClosing: true, handle: () => createJsonResponse(OK) }
}

interface Readiness {
  readonly engine: Partial<Pick<Engine, 'activity'>>
  readonly models: Pick<Engine, 'models'>
  readonly store: UsageStore
  /** Models that must be there; empty where any one will do. */
  readonly requires: readonly string[]
  isDraining(): boolean
  /** Whether the keys could not be renewed: those that there are still hold, so that it is no reason to go elsewhere. */
  hasStaleKeys(): boolean
}

/** `GET /readyz`: 200 as long as new requests should be sent here, else 503 with what is missing. */
export function createReadinessRoute({ engine, models, store, requires, isDraining, hasStaleKeys }: Readiness): Route {
  async function hasModels(): Promise<boolean> {
    const { missing = [] } = engine.activity?.() ?? {}
    if (missing.length > 0) return false
    const names = (await models.models()).filter(({ available }) => available).map(({ name }) => name)
    return names.length > 0 && requires.every((name) => names.includes(name))
  }

  return {
    ...OPEN,
    path: '/readyz',
    isAnsweredWhileClosing: true,
    async handle() {
      const [hasStore, hasAll] = await Promise.all([
        store.read('account:').then(
          () => true,
          () => false,
        ),
        // A front cannot say what workers have while its queue is away.
        hasModels().catch(() => false),
      ])
      const missing: ServerStatus['missing'] = [
        ...(isDraining() ? (['draining'] as const) : []),
        ...(hasStore ? [] : (['store'] as const)),
        ...(hasAll ? [] : (['models'] as const)),
      ]
      return missing.length === 0
        ? createJsonResponse({ status: 'ready', ...(hasStaleKeys() && { stale: ['keys'] }) } satisfies ServerStatus)
        : createJsonResponse({ status: 'unavailable', missing } satisfies ServerStatus, { status: 503 })
    },
  }
}

/** `GET /metrics` for Prometheus. It needs a key for operators, since it tells how busy the server is. */
export function createMetricsRoute(metrics: ServerMetrics): Route {
  return {
    method: 'GET',
    path: '/metrics',
    access: 'key',
    scope: 'metrics',
    dialect: 'systemone',
    handle: () => new Response(metrics.toText(), { headers: { 'content-type': METRICS_TYPE } }),
  }
}
