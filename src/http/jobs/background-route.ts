import { InvalidRequestError } from '../../errors/index.ts'
import { kindOf } from '../../schemas/fault.ts'
import { type JsonOrForm, toReaders } from '../body/body-readers.ts'
import { isTooDeep, TOO_DEEP } from '../body/parse-json.ts'
import { digest } from '../digest.ts'
import { createPiecesResponse } from '../json-response.ts'
import { Refusal } from '../refusal.ts'
import type { Call, Route } from '../route.ts'
import { toComparable } from '../usage/to-comparable.ts'
import { WEBHOOK_HEADER } from '../webhooks/webhook-sender.ts'
import { askAgain } from './ask-again.ts'
import type { JobHandler } from './job-handler.ts'
import { describeResult } from './job-outcome.ts'
import { writeJobWire } from './job-wire.ts'
import type { Jobs } from './jobs.ts'

/** How long a result is kept where its client does not say. */
export const KEEP_MS = 600_000

/**
 * The same route, which answers as a job where the client asks for it: by `Prefer: respond-async`, or `background: true`
 * in the body.
 */
export function withBackground(route: Route, jobs: Jobs): Route {
  const { path, dialect } = route
  const answer: JobHandler['answer'] = async (request, steps, signal, notes) => {
    const { body, caller, idempotencyKey, isTakenOver } = request
    const call = { ...NO_REQUEST, ...notes, ...toReaders(async () => body), caller, idempotencyKey, job: steps, signal }
    const ask = async () => describeResult(await route.handle(call))
    if (!isTakenOver) return ask()
    // Its client was told long ago that it is a job. What refuses it, such as a queue whose server is full, may be over in a moment.
    return askAgain(() => ask().finally(steps.pause), signal)
  }
  jobs.handle(path, { dialect, answer })
  return {
    ...route,
    async handle(call) {
      const { isBackground, body } = takeBackground(await call.readBody(), route)
      const { isAsync, keepMs = KEEP_MS } = call.preferences
      if (!isAsync && !isBackground) {
        if (call.webhook !== undefined) throw new Refusal(400, 'invalid_request', WEBHOOK_WITHOUT_JOB)
        return route.handle({ ...call, ...toReaders(async () => body) })
      }
      refuseStream(body)
      // Jobs are written as text before their route has checked them, which takes the stack with each level.
      if ('json' in body && isTooDeep(body.json)) throw new InvalidRequestError('body', TOO_DEEP, { loc: [] })
      return startJob(jobs, call, { path, keepMs, body }, isAsync ? { 'preference-applied': 'respond-async' } : {})
    },
  }
}

interface Work {
  readonly path: string
  readonly keepMs: number
  readonly body: JsonOrForm
}

/** Starts a job for a request, and says where it is. */
export async function startJob(
  jobs: Jobs,
  call: Call,
  { path, keepMs, body }: Work,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { idempotencyKey, caller, webhook, signal } = call
  const isKeyed = idempotencyKey !== undefined
  const request = { body, caller, ...(isKeyed && { idempotencyKey }) }
  // Written as text a large body takes a while, for which all others wait.
  const asked = () => [path, ...(webhook === undefined ? [] : [webhook]), toComparable(body)]
  const own = isKeyed ? digest(asked().join('\n')) : undefined
  const { job, ended } = await jobs.start({ account: caller.id, path, keepMs, request, webhook, digest: own }, call)
  // It keeps its place under the limits of the key, and its share of the memory for bodies.
  if (ended) call.holdUntil(ended)
  const named = { location: `/v1/jobs/${job.id}`, ...headers }
  // One that is over already is that of an earlier try, whose answer was lost.
  const { job: whole, leave } = await jobs.results.whole(job, signal)
  return createPiecesResponse(writeJobWire(whole), { status: 202, headers: named }, { signal, leave })
}

const WEBHOOK_WITHOUT_JOB = `${WEBHOOK_HEADER}: tells of the end of a job; send it with "Prefer: respond-async"`

/** What there is of a call whose client has its response, or is another process's. */
const NO_REQUEST = {
  method: 'POST',
  params: {},
  query: new URLSearchParams(),
  preferences: { isAsync: true, keepMs: undefined },
  keyName: undefined,
  webhook: undefined,
  retryCount: 0,
  holdUntil: () => {},
} as const

interface Background {
  readonly isBackground: boolean
  /** Without the field that says so. */
  readonly body: JsonOrForm
}

/**
 * A `background` that is a text is the one that OpenAI's clients ask pictures to have. These check it themselves; decisions have no other.
 *
 * @throws InvalidRequestError for a form that has it twice, and for one of decisions that is no truth value
 */
function takeBackground(body: JsonOrForm, { scope }: Pick<Route, 'scope'>): Background {
  if ('form' in body) {
    const [field, ...more] = body.form.filter(({ name }) => name === 'background')
    // The form without it would pass as one that has the other once.
    if (more.length > 0) throw new InvalidRequestError('background', `must be given once, got ${more.length + 1}`)
    if (field?.value !== 'true' && field?.value !== 'false') return { isBackground: false, body }
    return { isBackground: field.value === 'true', body: { form: body.form.filter((other) => other !== field) } }
  }
  const { json } = body
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return { isBackground: false, body }
  const { background, ...rest } = json as Readonly<Record<string, unknown>>
  if (typeof background !== 'boolean') {
    const isSaid = background !== undefined && background !== null
    // Its client would wait for the answer of a job that it asked for.
    if (isSaid && scope === 'decide') {
      throw new InvalidRequestError('background', `must be true or false, got ${kindOf(background)}`)
    }
    return { isBackground: false, body }
  }
  return { isBackground: background, body: { json: rest } }
}

function refuseStream(body: JsonOrForm): void {
  const isStream =
    'form' in body
      ? body.form.some(({ name, value }) => name === 'stream' && value === 'true')
      : (body.json as { readonly stream?: unknown } | null)?.stream === true
  if (!isStream) return
  throw new InvalidRequestError('stream', 'cannot be true for a job; GET /v1/jobs/{id}/events streams its progress')
}
