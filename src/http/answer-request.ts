import type { CallTimings } from '../engine/index.ts'
import type { BodyParser } from './body/body-parser.ts'
import { type BodyMeans, createBodyReaders } from './body/body-readers.ts'
import type { BodyRooms } from './body/body-rooms.ts'
import { checkHost } from './check-host.ts'
import { readIdempotencyKey } from './idempotency-key.ts'
import { readPreferences } from './jobs/preferences.ts'
import { ANYONE, nameOfKey } from './keys/authenticate.ts'
import { identify } from './keys/identify.ts'
import type { KeyStore } from './keys/key-store.ts'
import type { AdminLimiter } from './limits/admin-limiter.ts'
import type { RequestLimiter } from './limits/request-limiter.ts'
import { modelName } from './model-name.ts'
import type { RequestTrace } from './request-trace.ts'
import { readRetryCount } from './retry-count.ts'
import type { Call, Route } from './route.ts'
import { readParams } from './router.ts'
import { WEBHOOK_HEADER } from './webhooks/webhook-sender.ts'

export interface AnswerParts {
  readonly keys: KeyStore | undefined
  readonly limiter: RequestLimiter
  readonly admin: AdminLimiter
  readonly maxBodyBytes: number
  readonly budget: BodyRooms
  readonly parser: BodyParser
  /** Names that a server without keys answers for. */
  readonly hosts: readonly string[]
}

/** Lets a request pass the checks that its route asks for, and has the route handle it. */
export async function answerRequest(
  { keys, limiter, admin, maxBodyBytes, budget, parser, hosts }: AnswerParts,
  request: Request,
  route: Route,
  trace: RequestTrace,
): Promise<Response> {
  // Without keys all requests are of one account, whose share is the whole.
  const share = budget.open(() => keys && trace.account)
  const call = openCall(request, route, trace, { maxBytes: route.maxBodyBytes ?? maxBodyBytes, share, parser })
  if (route.access === 'open') return route.handle({ ...call, caller: ANYONE })
  if (keys === undefined) checkHost(request.headers, hosts)
  const caller = await identify(request.headers, route, keys, admin)
  trace.account = caller.id
  if (route.access === 'key') {
    try {
      // What only reads can be asked for again without one.
      const idempotencyKey = route.method === 'POST' ? readIdempotencyKey(request.headers) : undefined
      return await route.handle({ ...call, caller, keyName: nameOfKey(request.headers), idempotencyKey })
    } finally {
      share.release()
    }
  }
  const leave = await limiter.enter(caller, (allowance) => void (trace.requests = allowance))
  const end = () => {
    leave()
    share.release()
  }
  try {
    return await route.handle({ ...call, caller, idempotencyKey: readIdempotencyKey(request.headers) })
  } finally {
    if (trace.ended) void trace.ended.then(end)
    else end()
  }
}

/** What a route is told of a request, beside who sent it. */
function openCall(request: Request, route: Route, trace: RequestTrace, means: BodyMeans): Omit<Call, 'caller'> {
  const { method, signal, headers } = request
  const { searchParams, pathname } = new URL(request.url)
  return {
    method,
    signal,
    query: searchParams,
    params: readParams(route.path, pathname),
    preferences: readPreferences(headers),
    webhook: headers.get(WEBHOOK_HEADER) ?? undefined,
    job: undefined,
    keyName: undefined,
    idempotencyKey: undefined,
    retryCount: readRetryCount(headers),
    holdUntil: (ended) => void (trace.ended = ended),
    noteTokens: (allowance) => void (trace.tokens = allowance),
    noteUnits: (units) => void (trace.units = units),
    noteTimings: (timings) => noteWork(trace, { ...timings, model: modelName(timings.model) }),
    ...createBodyReaders(request, route.takes ?? 'json', means),
  }
}

/** A request that may run out of tokens has them counted first, which is a call of its own: times are added. */
function noteWork(trace: RequestTrace, timings: CallTimings): void {
  trace.span?.worked(timings)
  const { queueMs = 0, computeMs = 0 } = trace.timings ?? {}
  trace.timings = {
    model: timings.model,
    queueMs: queueMs + timings.queueMs,
    computeMs: computeMs + timings.computeMs,
  }
}
