import { randomUUID } from 'node:crypto'
import type { ListeningOptions } from '../../engine/calls/call-options.ts'
import { SignalListeners } from '../../engine/signal-listeners.ts'
import { abortedBy, throwIfAborted } from '../../errors/aborted-by.ts'
import { EngineDisposedError, WorkerCrashedError } from '../../errors/index.ts'
import { answerInTime } from '../../redis/answer-in-time.ts'
import { callTracingOnDemand } from '../call-tracing.ts'
import { takeRound } from '../lanes.ts'
import { CANCEL_TOPIC, cancelledKey, frontTopic, type ModelQueue, outcomeKey } from '../queue-names.ts'
import { type Notice, POISONED, type QueuedCall, type QueuedKind } from '../queued-call.ts'
import type { Sealer } from '../sealer.ts'
import type { WorkerReport } from '../worker-reports.ts'
import { type Connected, connectFront } from './connect-front.ts'
import { FleetView } from './fleet-view.ts'
import { PendingCall } from './pending-call.ts'
import { refuse, refuseLate, refuseUntyped } from './refuse.ts'
import { giveBack, laneOf, takeOut } from './take-out.ts'

/** How long a call may take to get into the queue. */
const SUBMIT_MS = 5000
/** Notices may be lost while the connection is: calls are looked after as often as this. */
const CHECK_MS = 1000
const CANCELLED_KEPT_MS = 60_000
/** Times that a call is put into the queue again which a restarted server has forgotten. */
const MOST_RESTORED = 2

/** What a worker's BullMQ does with a call that it could not end. */
const JOB = { attempts: 2, backoff: 200, removeOnComplete: true, removeOnFail: { age: 3600, count: 1000 } }

interface Submission extends QueuedCall {
  /** Name that the request gives. */
  readonly model: string | undefined
}

/** The calling side of a queue: puts calls into it, and waits for what comes of them. */
export class QueueFront {
  readonly #url: string
  readonly #sealer: Sealer
  readonly #maxWaiting: number
  readonly #id = randomUUID()
  readonly #pending = new Map<string, PendingCall>()
  readonly #tracing = callTracingOnDemand()
  readonly #signals = new SignalListeners()
  readonly fleet = new FleetView()
  #connected: Promise<Connected> | undefined
  #timer: NodeJS.Timeout | undefined
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

  /** The workers that are there now. @throws OverloadedError where the server does not say so in time */
  async readReports(): Promise<readonly WorkerReport[]> {
    const reading = this.#connect().then(({ client }) => this.fleet.read(client))
    return (await answerInTime(reading).catch(refuseUntyped)).reports
  }

  /** @throws AbortedError, OverloadedError, EngineDisposedError, ModelNotFoundError; what the worker's engine threw; WorkerCrashedError */
  async submit(kind: QueuedKind, { model, ...call }: Submission, options: ListeningOptions): Promise<unknown> {
    const { signal, whenBusy } = options
    const traceparent = (await this.#tracing()).current()
    if (this.#isDisposed) throw new EngineDisposedError()
    throwIfAborted(signal)
    const id = randomUUID()
    const data = {
      front: this.#id,
      sealed: this.#sealer.seal(JSON.stringify(call), id),
      reports: options.onProgress !== undefined,
      previews: options.onPreview !== undefined,
      ...(traceparent !== undefined && { traceparent }),
    }
    const pending = new PendingCall(id, kind, data, options)
    const stopListening = this.#signals.add(signal, () => void this.#cancel(pending))
    // Before it can be answered.
    this.#pending.set(id, pending)
    try {
      const entering = this.#enter(pending, model, whenBusy === 'refuse').catch(refuseUntyped)
      entering.catch(() => {})
      await answerInTime(Promise.race([entering, pending.ended]), SUBMIT_MS).catch(refuseLate)
      return await pending.ended
    } catch (error) {
      // It may still be on its way into the queue, or with a worker, and is to be computed for nobody.
      if (!pending.isOver || pending.hasFailedHere) {
        pending.reject(error)
        void this.#withdraw(pending)
      }
      throw error
    } finally {
      stopListening()
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
    // Where the server is away nobody is told.
    await answerInTime(Promise.all(pending.map((call) => this.#withdraw(call, connected)))).catch(() => {})
    await connected.close()
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
    const hear = (text: string) => this.#hear(JSON.parse(text) as Notice)
    await connected.subscriber.subscribe(frontTopic(this.#id), hear).catch(async (error: unknown) => {
      // Each later call would open two more.
      await connected.close()
      throw error
    })
    this.#timer = setInterval(() => void this.#check().catch(() => {}), CHECK_MS).unref()
    return connected
  }

  async #enter(pending: PendingCall, model: string | undefined, mayRefuse: boolean): Promise<void> {
    const connected = await this.#connect().catch(refuse)
    const queue = await this.fleet.choose(connected.client, pending.kind, model)
    if (mayRefuse) await this.fleet.requireRoom(connected, queue, this.#maxWaiting, laneOf(pending)[0])
    await this.#add(connected, pending, queue)
  }

  async #add(connected: Connected, pending: PendingCall, name: ModelQueue): Promise<void> {
    const { id, kind, data } = pending
    const round = await takeRound(connected.client, name, ...laneOf(pending))
    pending.owesRound = true
    if (pending.isOver) return giveBack(connected, pending, name)
    pending.queue = name
    await connected.queue(name).add(kind, data, { ...JOB, jobId: id, ...round })
    // It was cancelled meanwhile.
    if (pending.isOver) await this.#withdraw(pending, connected)
  }

  #hear(notice: Notice): void {
    const pending = this.#pending.get(notice.id)
    if (pending === undefined) return
    if (notice.type === 'progress') pending.report(notice.progress)
    else if (notice.type === 'preview') pending.show(notice.sealed, this.#sealer)
    else if (notice.type === 'started') pending.start()
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
    const { client, queue } = await this.#connect()
    void this.fleet.look(client).catch(() => {})
    for (const pending of this.#pending.values()) {
      if (pending.queue === undefined || pending.isChecked) continue
      pending.isChecked = true
      try {
        // In this order: the outcome is there before the call leaves the queue.
        const state = await queue(pending.queue).getJobState(pending.id)
        if (state === 'active') pending.start()
        else pending.isStarted = false
        if ((await this.#take(pending)) || pending.isOver) continue
        // A server that does not take it back yet keeps nobody from looking after the others.
        await this.#judge(pending, state).catch(() => {})
      } finally {
        pending.isChecked = false
      }
    }
  }

  async #judge(pending: PendingCall, state: string): Promise<void> {
    if (state === 'failed') {
      pending.start()
      pending.reject(new WorkerCrashedError(POISONED))
      return this.#withdraw(pending)
    }
    if (state !== 'unknown' && state !== 'completed') return
    if (pending.restored === MOST_RESTORED) {
      pending.reject(new WorkerCrashedError('the queue has lost the call'))
      // A worker may have it still.
      return this.#withdraw(pending)
    }
    // The server may have forgotten the rounds, too: by its old one it would wait behind whoever came since.
    await this.#add(await this.#connect(), pending, pending.queue!)
    pending.restored++
  }

  async #cancel(pending: PendingCall): Promise<void> {
    pending.reject(abortedBy(pending.options.signal))
    await this.#withdraw(pending)
  }

  /** Takes a call out of the queue, and has the worker stop that may have it. Where the server is away, the worker ends it for nobody. */
  async #withdraw(pending: PendingCall, connected?: Connected): Promise<void> {
    const { id, queue: name } = pending
    const open = connected ?? (await this.#connect().catch(() => undefined))
    if (open === undefined) return
    const { client } = open
    // Each for itself: a server whose memory is full takes nothing new, and does all else.
    await client.set(cancelledKey(id), '1', { PX: CANCELLED_KEPT_MS }).catch(() => {})
    // Whoever has closed the connection waits for nothing.
    if (!client.isOpen) return
    if (name !== undefined) await takeOut(open, pending, name).catch(() => {})
    // A worker may have it that has lost its lease, or whose server has forgotten it: the queue removes it then, too.
    await client.publish(CANCEL_TOPIC, id).catch(() => {})
    await client.del(outcomeKey(id)).catch(() => {})
  }
}
