import { randomUUID } from 'node:crypto'
import type { Job } from 'bullmq'
import type { ListeningOptions } from '../../engine/calls/call-options.ts'
import type { CallTimings, Progress } from '../../engine/index.ts'
import { type TesseraError, toTesseraError, WorkerCrashedError } from '../../errors/index.ts'
import { serverFault } from '../../http/server-fault.ts'
import { parseTraceparent } from '../../http/trace-context.ts'
import type { Preview } from '../../jobs/preview.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import type { CallTracing } from '../call-tracing.ts'
import { noteServed } from '../lanes.ts'
import { loadBullmq } from '../load-bullmq.ts'
import { onceThere } from '../once-there.ts'
import {
  aloneKey,
  CALL_OVER,
  CANCEL_TOPIC,
  callKey,
  callLeaseKey,
  cancelledKey,
  frontTopic,
  outcomeKey,
  type ModelQueue,
} from '../queue-names.ts'
import {
  type Notice,
  type Outcome,
  POISONED,
  type QueuedCall,
  type QueuedData,
  type QueuedKind,
} from '../queued-call.ts'
import type { Sealer } from '../sealer.ts'
import type { WorkerFault } from './worker-fault.ts'
import type { WorkingEngine } from './working-engine.ts'

export interface AnswerParts {
  readonly engine: WorkingEngine
  readonly client: RedisClient
  readonly sealer: Sealer
  readonly queue: ModelQueue
  readonly tracing: CallTracing
  /** Told of faults of this worker before the front is. */
  readonly onFault: (fault: WorkerFault) => void
}

/** How long an outcome waits for its front, which may be gone. */
const OUTCOME_KEPT_MS = 600_000
/**
 * Of two workers that have a call after a lost lease either may answer first: others are not to take it, and the other one is to stop. What
 * nobody waits for any more is not kept: it would stay for its time.
 */
const KEEP_OUTCOME = `
local outcome, call, lease, cancelled = unpack(KEYS)
local sealed, kept, token, topic, id, suspect = unpack(ARGV)
if redis.call('HEXISTS', call, '${CALL_OVER}') + redis.call('EXISTS', cancelled) > 0 then return end
redis.call('SET', outcome, sealed, 'PX', kept)
if redis.call('EXISTS', call) == 1 then redis.call('HSET', call, '${CALL_OVER}', '1') end
if suspect == '1' or redis.call('GET', lease) ~= token then redis.call('PUBLISH', topic, id) end`
/** Longer than any call runs. */
const ALONE_KEPT_MS = 86_400_000
/** A step of a picture takes longer; windows of a long state may not. */
const PROGRESS_EVERY_MS = 100

/** Why a call is stopped: another worker is to answer it. */
export const HANDED_BACK = Symbol('handed back')

/** A call that a worker works on. */
export interface Run {
  /** Fires when it is cancelled or answered by another worker, or with HANDED_BACK. */
  readonly signal: AbortSignal
  /** Of its lease; another one where that was lost and the call came again. */
  token: string
}

/** Whether a worker ended while it had the call: by this one, or by another that it had at the same time. */
export function isSuspect({ stalledCounter, attemptsMade }: Job): boolean {
  return stalledCounter > 0 || attemptsMade > 0
}

/**
 * Answers a call, or says why not. It is over for the queue then; what is thrown has it tried once more, so it waits for a
 * server that is away or full. A suspect must be the only call that its worker works on.
 */
export async function answerCall(parts: AnswerParts, job: Job<QueuedData>, current: Run): Promise<void> {
  const { client, queue, tracing } = parts
  const { signal } = current
  const id = job.id!
  const { front, traceparent } = job.data
  const served = noteServed(client, queue, job.priority).catch(() => {})
  if (await onceThere(() => isOver(parts, job), client)) return
  await Promise.all([served, tell(client, front, { id, type: 'started' })])
  const call = { kind: job.name as QueuedKind, traceparent }
  const outcome = await tracing.work(call, () => (isSuspect(job) ? runAlone : run)(parts, job, signal))
  if (signal.aborted) {
    if (signal.reason !== HANDED_BACK) return
    const { WaitingError } = await loadBullmq()
    await job.moveToWait(current.token)
    throw new WaitingError()
  }
  if ('error' in outcome && outcome.error.code === 'worker_crashed' && !isSuspect(job)) {
    // Another worker may live through it. Its message goes into the store, and says nothing of the call.
    throw new Error('the worker ended during the call')
  }
  const sealed = parts.sealer.seal(JSON.stringify(outcome), id)
  const keys = [outcomeKey(id), callKey(queue, id), callLeaseKey(queue, id), cancelledKey(id)]
  const suspect = isSuspect(job) ? '1' : '0'
  const values = () => [sealed, String(OUTCOME_KEPT_MS), current.token, CANCEL_TOPIC, id, suspect]
  // A server that is full keeps no mark of a call that was cancelled meanwhile.
  const isCancelled = () => signal.aborted && signal.reason !== HANDED_BACK
  const keep = async () => isCancelled() || (await client.eval(KEEP_OUTCOME, { keys, arguments: values() }))
  await onceThere(keep, client)
  await tell(client, front, { id, type: 'done' })
}

/** Whether it was cancelled, or answered by a worker that had lost its lease, or had the call when the server forgot it. */
async function isOver({ client, queue }: AnswerParts, { id }: Job<QueuedData>): Promise<boolean> {
  const found = await Promise.all([client.exists(cancelledKey(id!)), client.hExists(callKey(queue, id!), CALL_OVER)])
  return found.some((count) => count > 0)
}

/** A mark that is there already was left by a worker that ended while it had this call and no other. */
async function runAlone(parts: AnswerParts, job: Job<QueuedData>, signal: AbortSignal): Promise<Outcome> {
  const { client } = parts
  const key = aloneKey(job.id!)
  const own = randomUUID()
  const mark = async () => {
    await client.set(key, own, { PX: ALONE_KEPT_MS, NX: true })
    // It may be set already by a try whose reply was lost.
    return (await client.get(key)) === own
  }
  const isFirst = await onceThere(mark, client)
  try {
    return isFirst
      ? await run(parts, job, signal)
      : { error: tellFailure(parts, job, new WorkerCrashedError(POISONED)) }
  } finally {
    await onceThere(() => client.del(key), client)
  }
}

async function run(parts: AnswerParts, job: Job<QueuedData>, signal: AbortSignal): Promise<Outcome> {
  const { engine, client, sealer } = parts
  const id = job.id!
  const { front, reports, previews, sealed } = job.data
  let timings: CallTimings | undefined
  let told = 0
  const onProgress = (progress: Progress) => {
    if (performance.now() - told < PROGRESS_EVERY_MS && progress.done < progress.total) return
    told = performance.now()
    void tell(client, front, { id, type: 'progress', progress })
  }
  const onPreview = (preview: Preview) => {
    const notice = { id, type: 'preview', sealed: sealer.seal(JSON.stringify(preview), id) } as const
    void tell(client, front, notice)
  }
  const call: ListeningOptions = {
    signal,
    // The queue does not say whose a call is.
    keepState: false,
    onTimings: (measured) => void (timings = measured),
    ...(reports && { onProgress }),
    ...(previews && { onPreview }),
  }
  try {
    const { request, options } = openCall(sealer, sealed, id)
    const method = engine[job.name as QueuedKind] as (request: unknown, options: object) => Promise<unknown>
    const response = await method(request, { ...options, ...call })
    return { response, ...(timings && { timings }) }
  } catch (error) {
    return { error: tellFailure(parts, job, toTesseraError(error)), ...(timings && { timings }) }
  }
}

function openCall(sealer: Sealer, sealed: string, id: string): QueuedCall {
  try {
    return JSON.parse(sealer.open(sealed, id)) as QueuedCall
  } catch (cause) {
    throw new WorkerCrashedError('the call cannot be opened with the keys that this worker has', { cause })
  }
}

/** Stacks and causes name files of this machine, and are told here alone. */
function tellFailure({ onFault }: AnswerParts, { id, name, data }: Job<QueuedData>, error: TesseraError) {
  const fault = serverFault(error)
  if (fault) {
    const traceId = parseTraceparent(data.traceparent ?? '')?.traceId
    onFault({ callId: id!, kind: name as QueuedKind, error: fault, ...(traceId !== undefined && { traceId }) })
  }
  const { stack: _stack, cause: _cause, ...json } = error.toJSON()
  return json
}

/** A front that is not told looks for itself. */
async function tell(client: RedisClient, front: string, notice: Notice): Promise<void> {
  await client.publish(frontTopic(front), JSON.stringify(notice)).catch(() => {})
}
