import { throwIfAborted } from '../../errors/aborted-by.ts'
import { AbortedError } from '../../errors/index.ts'
import type { Progress } from '../../jobs/job-context.ts'
import { LONGEST_TIMER_MS } from '../../options/index.ts'
import type { ModelChange } from '../pool/activity.ts'
import { unlessAborted } from '../unless-aborted.ts'
import { LeftMemory } from './left-memory.ts'
import { SharedWork } from './shared-work.ts'
import type { Task } from './task.ts'

export interface OpenModelsOptions {
  /** Milliseconds that a model stays open without being used. */
  readonly keepAlive: number
  /** Bytes of all open models above which unused ones are closed. */
  readonly memoryBudget: number
}

/** A model, and how it is opened. */
export interface Openable {
  readonly folder: string
  /** Bytes that it will take. @param signal fires when nobody waits for the model any more: browsers ask a server, which may never answer */
  weigh(signal: AbortSignal): Promise<number>
  /**
   * Asked before the opening, and again where others could be closed, or have been opened, after it refused.
   *
   * @param reusable bytes that closed models have left to the process, less what models that are being opened may still take
   * @returns bytes that it may take, 0 where they are not counted
   * @throws InsufficientMemoryError where there is too little
   */
  admit?(reusable: number): Promise<number>
  /** Is told what becomes of the model, and how long opening it took; not of an opening that nobody waits for any more. */
  note?(change: ModelChange['change'], milliseconds: number): void
  /** The opening may stop where its signal fires, which it does when nobody waits for the model any more. All who wait are told how far it is. */
  open(signal: AbortSignal, onProgress: OnProgress): Promise<Task>
}

type OnProgress = (progress: Progress) => void

interface Entry {
  readonly model: Openable
  readonly opening: SharedWork<Task, Progress>
  /** Once it is open. */
  task?: Task
  /** 0 until it is known. */
  bytes: number
  /** What it may take, once it is admitted. */
  admitted?: number
  users: number
  /** The names that it is to stay open for. */
  readonly keptFor: Set<string>
  timer?: ReturnType<typeof setTimeout>
}

/**
 * The models that are open. One that nobody uses is closed after `keepAlive`, or earlier, the one unused for longest
 * first, where the others need its memory. One in use is never closed, so that models in use may exceed the budget,
 * and neither is one that is being opened. A folder is never opened while it is being opened, open or being closed.
 */
export class OpenModels {
  readonly #options: OpenModelsOptions
  /** Open or being opened, by folder, the one used last at the end. */
  readonly #entries = new Map<string, Entry>()
  readonly #left: LeftMemory
  /** Being closed, by folder. None of them waits for anything but its own task. */
  readonly #closing = new Map<string, Promise<void>>()
  /** The question for memory that was asked last. */
  #asking: Promise<unknown> = Promise.resolve()

  /** @param measureHeld bytes that the process has not given back to the system */
  constructor(options: OpenModelsOptions, measureHeld = () => Number.POSITIVE_INFINITY) {
    this.#options = options
    this.#left = new LeftMemory(measureHeld)
  }

  /**
   * Does some work with a model, which is opened unless it is. A failure to open is not kept, so that the next use
   * tries again.
   *
   * @param signal ends the wait for the model; it does not stop the work
   * @param onProgress is told how far the opening is, whoever began it
   * @throws AbortedError, and whatever weighing, opening and the work throw
   */
  async use<T>(
    model: Openable,
    signal: AbortSignal,
    work: (task: Task) => T | Promise<T>,
    onProgress?: OnProgress,
  ): Promise<T> {
    throwIfAborted(signal)
    for (let gone = this.#leaving(model.folder); gone !== undefined; gone = this.#leaving(model.folder)) {
      const leaving = gone
      await unlessAborted(() => leaving, signal)
    }
    const entry = this.#entries.get(model.folder) ?? this.#add(model)
    entry.users++
    clearTimeout(entry.timer)
    try {
      return await work(await entry.opening.wait(signal, onProgress))
    } finally {
      entry.users--
      if (entry.task !== undefined) this.#rest(model.folder, entry)
    }
  }

  /** Has a model that is in use stay open for a name that it goes by, whatever its time and the budget say. */
  keep(folder: string, name: string): void {
    this.#entries.get(folder)!.keptFor.add(name)
  }

  /** Ends that; where no other name has it stay open, it is closed as one that was used just now. */
  release(name: string): void {
    // What comes to rest comes again at the end, where there is nothing left to delete.
    for (const [folder, entry] of this.#entries) if (entry.keptFor.delete(name)) this.#rest(folder, entry)
  }

  /** Whether a model can be used at once. */
  isOpen(folder: string): boolean {
    return this.#entries.get(folder)?.task !== undefined
  }

  /** Closes all models, which nobody may be using. */
  async dispose(): Promise<void> {
    // An opening that nobody waits for was told to stop, and the model may be open in the end all the same.
    await Promise.all(Array.from(this.#entries.values(), ({ opening }) => opening.settled()))
    for (const [folder, entry] of this.#entries) this.#close(folder, entry)
    await Promise.all(this.#closing.values())
  }

  /** What has to be over before the folder can be used: its closing, or an opening that was told to stop. */
  #leaving(folder: string): Promise<void> | undefined {
    const opening = this.#entries.get(folder)?.opening
    return this.#closing.get(folder) ?? (opening?.isStopping ? opening.settled() : undefined)
  }

  #add(model: Openable): Entry {
    const { folder, weigh, open } = model
    const openWhenFits = async (signal: AbortSignal, onProgress: OnProgress) => {
      const started = performance.now()
      try {
        entry.bytes = await weigh(signal)
        await this.#makeRoomFor(entry)
        await this.#admit(entry)
        if (signal.aborted) throw new AbortedError()
        entry.task = await open(signal, onProgress)
        this.#left.note(this.#entries.values())
        model.note?.('opened', performance.now() - started)
      } catch (error) {
        this.#entries.delete(folder)
        if (!signal.aborted) model.note?.('failed', performance.now() - started)
        throw error
      }
      if (entry.users === 0) this.#rest(folder, entry)
      return entry.task
    }
    const entry: Entry = { model, bytes: 0, users: 0, keptFor: new Set(), opening: new SharedWork(openWhenFits) }
    this.#entries.set(folder, entry)
    return entry
  }

  /** The end of a use makes the model the one used last, to be closed when its time is over. */
  #rest(folder: string, entry: Entry): void {
    this.#entries.delete(folder)
    this.#entries.set(folder, entry)
    if (entry.users > 0) return
    const { keepAlive } = this.#options
    // Longer times are as good as for ever.
    if (entry.keptFor.size === 0 && keepAlive <= LONGEST_TIMER_MS) {
      entry.timer = setTimeout(() => this.#close(folder, entry), keepAlive)
      // A timer of browsers is a number, and there is no process to keep alive.
      if (typeof entry.timer === 'object') entry.timer.unref()
    }
    this.#closeUnused(entry)
  }

  /** Resolves when what had to be closed has freed its memory. */
  async #makeRoomFor(entry: Entry): Promise<void> {
    await Promise.all(this.#closing.values())
    // Others may have come to rest while it waited.
    while (this.#closeUnused(entry)) await Promise.all(this.#closing.values())
  }

  /**
   * Where memory is short, everything that nobody uses is closed first. Then what is being opened is waited for: how much
   * of its memory it has taken already is not known before.
   */
  async #admit(entry: Entry): Promise<void> {
    for (;;) {
      // One after another: two that are measured at the same time would both count on the same memory.
      const asked = this.#asking.then(() => this.#ask(entry))
      this.#asking = asked
      const refusal = await asked
      if (refusal === undefined) return
      if (!this.#closeUnused(entry, 0)) {
        if (refusal.opening.length === 0) throw refusal.error
        await Promise.all(refusal.opening.map(({ opening }) => opening.settled()))
      }
      await Promise.all(this.#closing.values())
    }
  }

  /** @returns why there is too little memory, and what was being opened then; undefined where there is enough */
  async #ask(entry: Entry): Promise<{ error: unknown; opening: readonly Entry[] } | undefined> {
    const opening = Array.from(this.#entries.values()).filter(({ task, admitted }) => task === undefined && admitted)
    try {
      entry.admitted = (await entry.model.admit?.(this.#left.count(this.#entries.values()))) ?? 0
    } catch (error) {
      return { error, opening }
    }
    return undefined
  }

  /**
   * Closes models that nobody uses until the others fit, the one unused for longest first.
   *
   * @param spared one that exceeds the budget alone would otherwise be opened anew for every job
   * @returns whether there were any
   */
  #closeUnused(spared: Entry, budget = this.#options.memoryBudget): boolean {
    const entries = [...this.#entries]
    let excess = sum([...this.#entries.values()], ({ bytes }) => bytes) - budget
    const unused = entries.filter(
      ([, entry]) => entry !== spared && entry.keptFor.size === 0 && entry.users === 0 && entry.task !== undefined,
    )
    const closed = unused.filter(([folder, entry]) => {
      if (excess <= 0) return false
      excess -= entry.bytes
      this.#close(folder, entry)
      return true
    })
    return closed.length > 0
  }

  /** A failure is nobody's: whoever waits has other work, which did not fail. */
  #close(folder: string, { model, task, timer }: Entry): void {
    clearTimeout(timer)
    this.#entries.delete(folder)
    if (task !== undefined) model.note?.('closed', 0)
    const closing = Promise.resolve()
      .then(() => task?.dispose())
      .catch(() => {})
      .finally(() => this.#closing.delete(folder))
    this.#closing.set(folder, closing)
  }
}

function sum(entries: readonly Entry[], bytesOf: (entry: Entry) => number): number {
  return entries.reduce((total, entry) => total + bytesOf(entry), 0)
}
