import { randomUUID } from 'node:crypto'
import type { QueueActivity } from '../engine/activity.ts'
import type { ListeningOptions } from '../engine/call-options.ts'
import { AbortedError, EngineDisposedError, OverloadedError, WorkerCrashedError } from '../errors/index.ts'
import { callTracingOnDemand } from './call-tracing.ts'
import { type Connected, connectFront } from './connect-front.ts'
import { takeRound } from './lanes.ts'
import { PendingCall } from './pending-call.ts'
import { readQueues } from './queue-activity.ts'
import { CANCEL_TOPIC, cancelledKey, frontTopic, outcomeKey, QUEUES, type QueueName } from './queue-names.ts'
import { CALLS, type Notice, type QueuedCall, type QueuedKind } from './queued-call.ts'
import { refuse, refuseAfter, refuseUntyped } from './refuse.ts'
import type { Sealer } from './sealer.ts'
import { readReports, type WorkerReport } from './worker-reports.ts'

/** How long a call may take to get into the queue. */
const SUBMIT_MS = 5000
/** Notices may be lost while the connection is: calls are looked after as often as this. */
const CHECK_MS = 1000
const CANCELLED_KEPT_MS = 60_000
/** Times that a call is put into the queue again which a restarted server has forgotten. */
const MOST_RESTORED = 2
/** Every worker that took it ended: that of the first try, and the one that took it over. */
const POISONED = 'every worker that took this call ended while it worked on it'

/** What a worker's BullMQ does with a call that it could not end. */
const JOB = { attempts: 2, backoff: 200, removeOnComplete: true, removeOnFail: { age: 3600, count: 1000 } }

/** The calling side of a queue: puts calls into it, and waits for what comes of them. */
export class QueueFront {
  readonly #url: string
  readonly #sealer: Sealer
  readonly #maxWaiting: number
  readonly #id = randomUUID()
  readonly #pending = new Map<string, PendingCall>()
  readonly #tracing = callTracingOnDemand()
  #connected: Promise<Connected> | undefined
  #timer: NodeJS.Timeout | undefined
  #reports: readonly WorkerReport[] = []
  #queues: readonly QueueActivity[] = []
  #isDisposed = false

  constructor(url: string, sealer: Sealer, maxWaiting: number) {
    this.#url = url
    this.#sealer = sealer
    this.#maxWaiting = maxWaiting
  }

  /** Calls of this process that wait, and that workers have. */
  get counts(): { readonly waiting: number; readonly running: number } {
    const running = [...this.#pending.values()].filter(({ isStarted }) => isStarted).length
    return { waiting: this.#pending.size - running, running }
  }

  /** The workers that were there a moment ago. */
  get reports(): readonly WorkerReport[] {
    return this.#reports
  }

  /** What waited in the queues a moment ago. */
  get queues(): readonly QueueActivity[] {
    return this.#queues
  }

  /** The workers that are there now. */
  async readReports(): Promise<readonly WorkerReport[]> {
    const { client } = await this.#connect()
    this.#reports = await readReports(client)
    return this.#reports
  }

  /** @throws AbortedError, OverloadedError, EngineDisposedError; what the worker's engine threw; WorkerCrashedError */
  async submit(kind: QueuedKind, call: QueuedCall, options: ListeningOptions = {}): Promise<unknown> {
    const { signal, whenBusy } = options
    const traceparent = (await this.#tracing()).current()
    if (this.#isDisposed) throw new EngineDisposedError()
    if (signal?.aborted) throw new AbortedError(undefined, { cause: signal.reason })
    const id = randomUUID()
    const data = {
      front: this.#id,
      sealed: this.#sealer.seal(JSON.stringify(call), id),
      reports: options.onProgress !== undefined,
      previews: options.onPreview !== undefined,
      ...(traceparent !== undefined && { traceparent }),
    }
    const pending = new PendingCall(id, kind, data, options)
    const abort = () => void this.#cancel(pending)
    signal?.addEventListener('abort', abort, { once: true })
    // Before it can be answered.
    this.#pending.set(id, pending)
    try {
      const entering = this.#enter(pending, whenBusy === 'refuse').catch(refuseUntyped)
      entering.catch(() => {})
      await Promise.race([entering, pending.ended, refuseAfter(SUBMIT_MS)])
      return await pending.ended
    } catch (error) {
      // It may still get in.
      if (!pending.isOver) void this.#withdraw(pending)
      throw error
    } finally {
      signal?.removeEventListener('abort', abort)
      this.#pending.delete(id)
    }
  }

  /** Rejects what is pending; workers are told. Safe to call twice. */
  async dispose(): Promise<void> {
    this.#isDisposed = true
    clearInterval(this.#timer)
    const pending = [...this.#pending.values()]
    for (const call of pending) call.reject(new EngineDisposedError())
    const connected = await this.#connected?.catch(() => undefined)
    this.#connected = undefined
    // It may have been set while the connection was opened.
    clearInterval(this.#timer)
    if (connected === undefined) return
    await Promise.all(pending.map((call) => this.#withdraw(call, connected)))
    const { queues, client, subscriber } = connected
    await Promise.allSettled(QUEUES.map((name) => queues[name].close()))
    for (const each of [client, subscriber]) each.destroy()
  }

  /** @throws EngineDisposedError, since nobody would close what a disposed front opens */
  async #connect(): Promise<Connected> {
    if (this.#isDisposed) throw new EngineDisposedError()
    this.#connected ??= this.#open().catch((error: unknown) => {
      this.#connected = undefined
      throw error
    })
    return this.#connected
  }

  async #open(): Promise<Connected> {
    const connected = await connectFront(this.#url)
    await connected.subscriber.subscribe(frontTopic(this.#id), (text) => this.#hear(JSON.parse(text) as Notice))
    this.#timer = setInterval(() => void this.#check().catch(() => {}), CHECK_MS).unref()
    return connected
  }

  async #enter(pending: PendingCall, mayRefuse: boolean): Promise<void> {
    const connected = await this.#connect().catch(refuse)
    const queue = CALLS[pending.kind]
    if (mayRefuse) await this.#requireRoom(connected, queue)
    const { client: caller = '', priority } = pending.options
    const round = await takeRound(connected.client, queue, caller, priority === 'half')
    if (pending.isOver) return
    pending.priority = round
    await this.#add(connected, pending)
    // It was cancelled meanwhile.
    if (pending.isOver) await this.#withdraw(pending, connected)
  }

  async #add({ queues }: Connected, { id, kind, data, priority = 1 }: PendingCall): Promise<void> {
    await queues[CALLS[kind]].add(kind, data, { ...JOB, jobId: id, priority })
  }

  async #requireRoom({ queues }: Connected, name: QueueName): Promise<void> {
    const { prioritized = 0 } = await queues[name].getJobCounts('prioritized')
    const over = prioritized - this.#maxWaiting + 1
    if (over <= 0) return
    const workers = (await this.readReports()).filter(({ jobs }) => jobs.includes(name))
    // Each worker ends so many calls a millisecond.
    const rate = workers.reduce(
      (sum, { concurrency, meanMs }) => sum + (meanMs[name] > 0 ? concurrency / meanMs[name] : 0),
      0,
    )
    throw new OverloadedError(
      `${prioritized} calls wait in the queue; retry with backoff`,
      rate > 0 ? { retryAfterMs: Math.ceil(over / rate) } : {},
    )
  }

  #hear(notice: Notice): void {
    const pending = this.#pending.get(notice.id)
    if (pending === undefined) return
    if (notice.type === 'progress') pending.report(notice.progress)
    else if (notice.type === 'preview') pending.show(notice.sealed, this.#sealer)
    else if (notice.type === 'started') pending.isStarted = true
    else void this.#take(pending).catch(() => {})
  }

  /** @returns whether there was an outcome */
  async #take(pending: PendingCall): Promise<boolean> {
    const { client } = await this.#connect()
    const sealed = await client.getDel(outcomeKey(pending.id))
    if (sealed === null) return false
    pending.end(sealed, this.#sealer)
    return true
  }

  /** Looks after calls whose notices were lost, whose workers ended, or which a restarted server has forgotten. */
  async #check(): Promise<void> {
    const { queues } = await this.#connect()
    void this.#look().catch(() => {})
    for (const pending of this.#pending.values()) {
      if (pending.priority === undefined || pending.isChecked) continue
      pending.isChecked = true
      try {
        // In this order: the outcome is there before the call leaves the queue.
        const state = await queues[CALLS[pending.kind]].getJobState(pending.id)
        if (state === 'active') pending.isStarted = true
        if (!(await this.#take(pending)) && !pending.isOver) await this.#judge(pending, state)
      } finally {
        pending.isChecked = false
      }
    }
  }

  async #look(): Promise<void> {
    const { client } = await this.#connect()
    this.#queues = await readQueues(client, await this.readReports())
  }

  async #judge(pending: PendingCall, state: string): Promise<void> {
    if (state === 'failed') {
      pending.reject(new WorkerCrashedError(POISONED))
      return this.#withdraw(pending)
    }
    if (state !== 'unknown' && state !== 'completed') return
    if (pending.restored === MOST_RESTORED) return pending.reject(new WorkerCrashedError('the queue has lost the call'))
    pending.restored++
    await this.#add(await this.#connect(), pending)
  }

  async #cancel(pending: PendingCall): Promise<void> {
    pending.reject(new AbortedError(undefined, { cause: pending.options.signal?.reason }))
    await this.#withdraw(pending)
  }

  /** Takes a call out of the queue, or has its worker stop. Where the server is away, the worker ends it for nobody. */
  async #withdraw({ id, kind }: PendingCall, connected?: Connected): Promise<void> {
    try {
      const { client, queues } = connected ?? (await this.#connect())
      await client.set(cancelledKey(id), '1', { PX: CANCELLED_KEPT_MS })
      const isRemoved = await queues[CALLS[kind]].remove(id).then(
        (count) => count > 0,
        () => false,
      )
      if (!isRemoved) await client.publish(CANCEL_TOPIC, id)
      await client.del(outcomeKey(id))
    } catch {
      // Nobody waits for it.
    }
  }
}
