import { randomUUID } from 'node:crypto'
import type { Job, Worker } from 'bullmq'
import type { ModelInfo } from '../../engine/index.ts'
import { InvalidRequestError, TesseraError } from '../../errors/index.ts'
import { safeLog } from '../../http/request-reporter.ts'
import { LONGEST_TIMER_MS, readOption, readOptions, withMethods } from '../../options/index.ts'
import { answerInTime } from '../../redis/answer-in-time.ts'
import { connectPair, type RedisClient } from '../../redis/connect-redis.ts'
import { tellRefusals } from '../../redis/tell-outage.ts'
import { type CallTracing, callTracingOnDemand } from '../call-tracing.ts'
import { CANCEL_TOPIC, type ModelQueue, partsOf, PREFIX, type QueueName } from '../queue-names.ts'
import { openSealer, WORKER, type WorkerOptions } from '../queue-options.ts'
import type { QueuedData } from '../queued-call.ts'
import { removeReport, REPORT_EVERY_MS, writeReport } from '../worker-reports.ts'
import { answerCall, type AnswerParts, HANDED_BACK, isSuspect, type Run } from './answer-call.ts'
import { OpenFirst } from './open-first.ts'
import { servedQueues } from './served-queues.ts'
import { SideBySide } from './side-by-side.ts'
import { Slots } from './slots.ts'
import { takeCalls } from './take-calls.ts'
import type { WorkingEngine } from './working-engine.ts'

const ENGINE = withMethods<WorkingEngine>('an engine, as createEngine() makes one', 'models', 'activity')
/** Times that a call may be in a worker that ends by another one's fault. */
const MOST_STALLED = 10
/** How long handing calls back may take after the grace. */
const HAND_BACK_MS = 3000

/** A worker that answers calls of the queue until it is closed. */
export interface RunningWorker {
  /**
   * Takes no more calls, and resolves when those that it has are answered. Safe to call twice.
   *
   * @param graceMs milliseconds after which calls that are not answered are handed back, for another worker to answer;
   *   default never, and so is what no timer can wait, 24.8 days
   */
  close(graceMs?: number): Promise<void>
}

/**
 * Answers calls of a queue with an engine, until it is closed. The engine stays the caller's. Calls for a model that is not open here
 * are left to workers that have it open, until they have waited for 50 ms.
 *
 * @example
 * ```ts
 * const engine = await createEngine()
 * const worker = await runWorker(engine, { connection: 'redis://localhost:6379' })
 * process.once('SIGTERM', () => void worker.close(25_000))
 * ```
 *
 * @throws InvalidRequestError for an option that is no valid value, a name in `models` or a kind of work in `jobs` that the engine
 *   has no model for, without keys where `plaintext` is not set, where the server does not
 *   answer, or where it refuses what a worker asks of it
 */
export async function runWorker(engine: WorkingEngine, options: WorkerOptions): Promise<RunningWorker> {
  const { connection, jobs, models: wanted, concurrency, leaseMs, onFault, ...sealing } = readOptions(WORKER, options)
  const sealer = openSealer(sealing)
  const models = await readOption('engine', ENGINE, engine).models()
  const queues = servedQueues(models, jobs, wanted)
  const [client, subscriber] = await connectPair(connection)
  const running = new Map<string, Running>()
  const id = randomUUID()
  const openFirst = new OpenFirst(client, id, engine, queues, models)
  const workers: Worker[] = []
  const parts: Closing = { workers, running, openFirst, clients: [client, subscriber], id }
  const shared = { tracing: callTracingOnDemand(), sideBySide: new SideBySide() }
  const course = { running, times: new MeanTimes(), openFirst, ...shared }
  const slots = { decide: new Slots(concurrency), images: new Slots(concurrency) }
  const taking = { connection: client, prefix: PREFIX, concurrency, drainDelay: 2, ...leaseOf(leaseMs) }
  const onError = tellRefusals()
  const start = async (queue: ModelQueue) => {
    const processor = createProcessor({ engine, client, sealer, queue, onFault: safeLog(onFault) }, course)
    const worker = await takeCalls(queue, processor, taking, { slots: slots[partsOf(queue).work], openFirst })
    workers.push(worker)
    await untilOpen(worker, onError)
  }
  const isTold = createFilter(queues, wanted)
  const report = async (known: readonly ModelInfo[]) => {
    const told = known.filter(isTold)
    const activity = engine.activity()
    const said = { id, jobs: kindsOf(queues), queues, concurrency, meanMs: course.times.means, models: told, activity }
    await Promise.all([writeReport(client, said), openFirst.announce()])
  }
  try {
    await subscriber.subscribe(CANCEL_TOPIC, (id) => running.get(id)?.controller.abort())
    // Before it takes calls: a server that refuses this refuses answers, too.
    await report(models)
    await Promise.all(queues.map(start))
  } catch (error) {
    // Else it would work on, with an engine that its caller closes.
    await close(parts, 0)
    throw toStartError(error)
  }
  const timer = keepReporting(engine, report)
  let closing: Promise<void> | undefined
  return {
    close(graceMs) {
      clearInterval(timer)
      closing ??= close(parts, graceMs)
      return closing
    },
  }
}

/** Waits until a worker has opened its queue: one that is refused it takes no calls ever, whatever the server allows later. */
async function untilOpen(worker: Worker, onError: (error: Error) => void): Promise<void> {
  // Without a listener an error ends the process. What the opening says is thrown here.
  worker.on('error', () => {})
  await worker.waitUntilReady()
  worker.on('error', onError)
}

/** Where the server is away it is told the next time. */
function keepReporting(engine: WorkingEngine, report: (models: readonly ModelInfo[]) => Promise<void>): NodeJS.Timeout {
  const reportNow = () => engine.models().then(report)
  return setInterval(() => void reportNow().catch(() => {}), REPORT_EVERY_MS).unref()
}

function leaseOf(milliseconds: number) {
  const stalledInterval = Math.ceil(milliseconds / 3)
  return { lockDuration: milliseconds, stalledInterval, maxStalledCount: MOST_STALLED }
}

function kindsOf(queues: readonly ModelQueue[]): QueueName[] {
  return [...new Set(queues.map((queue) => partsOf(queue).work))]
}

/** Which models the worker tells of: those that it takes calls for, and without a choice those that are missing, too. */
function createFilter(queues: readonly ModelQueue[], wanted: readonly string[] | undefined) {
  const names = new Set(queues.map((queue) => partsOf(queue).model))
  return ({ name, available }: ModelInfo) => (available ? names.has(name) : wanted === undefined)
}

/** The cause is left out, as where the server could not be reached. */
function toStartError(error: unknown): TesseraError {
  if (TesseraError.isInstance(error)) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new InvalidRequestError('connection', `the Redis server does not let a worker start (${code ?? message})`)
}

/** What the calls of all queues of a worker share. */
interface Course {
  readonly running: Map<string, Running>
  readonly times: MeanTimes
  readonly openFirst: OpenFirst
  readonly tracing: () => Promise<CallTracing>
  readonly sideBySide: SideBySide
}

interface Running extends Run {
  readonly controller: AbortController
  readonly ended: Promise<void>
}

function createProcessor(parts: Omit<AnswerParts, 'tracing'>, course: Course) {
  const { running } = course
  return (job: Job<QueuedData>, token = ''): Promise<void> => {
    const same = running.get(job.id!)
    if (same !== undefined) {
      // The server was away for longer than the lease, and gave the call out again: it is still worked on here.
      same.token = token
      return same.ended
    }
    const controller = new AbortController()
    const run = { controller, signal: controller.signal, token }
    const ended = work(parts, course, job, run)
    running.set(job.id!, Object.assign(run, { ended }))
    return ended
  }
}

async function work(
  parts: Omit<AnswerParts, 'tracing'>,
  { running, times, openFirst, tracing, sideBySide }: Course,
  job: Job<QueuedData>,
  run: Run,
): Promise<void> {
  const began = performance.now()
  try {
    const answering = { ...parts, tracing: await tracing() }
    await sideBySide.run(isSuspect(job), () => answerCall(answering, job, run))
  } finally {
    running.delete(job.id!)
    times.note(parts.queue, performance.now() - began)
    void openFirst.announceAfter(parts.queue).catch(() => {})
  }
}

interface Closing {
  readonly workers: readonly Worker[]
  readonly running: ReadonlyMap<string, Running>
  readonly openFirst: OpenFirst
  readonly clients: readonly [RedisClient, RedisClient]
  readonly id: string
}

async function close({ workers, running, openFirst, clients, id }: Closing, asked: number | undefined): Promise<void> {
  const graceMs = asked !== undefined && asked + HAND_BACK_MS > LONGEST_TIMER_MS ? undefined : asked
  const [client, subscriber] = clients
  const handBack = () => {
    for (const { controller } of running.values()) controller.abort(HANDED_BACK)
  }
  // Before anything waits for a server that may be away.
  const timer = graceMs === undefined ? undefined : setTimeout(handBack, graceMs)
  await answerInTime(Promise.all([removeReport(client, id), openFirst.withdraw()])).catch(() => {})
  const ended = Promise.allSettled(workers.map((worker) => worker.close()))
  await (graceMs === undefined ? ended : answerInTime(ended, graceMs + HAND_BACK_MS)).catch(() => {
    // What is not handed back goes to another worker when its lease is over.
    for (const worker of workers) void worker.disconnect().catch(() => {})
  })
  clearTimeout(timer)
  for (const each of [client, subscriber]) each.destroy()
}

/** A mean in which a call counts for a tenth. */
class MeanTimes {
  readonly #means: Partial<Record<ModelQueue, number>> = {}

  get means(): Readonly<Partial<Record<ModelQueue, number>>> {
    return { ...this.#means }
  }

  note(queue: ModelQueue, milliseconds: number): void {
    const mean = this.#means[queue]
    this.#means[queue] = mean === undefined ? milliseconds : mean + (milliseconds - mean) / 10
  }
}
