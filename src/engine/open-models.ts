import { AbortedError } from '../errors/index.ts'
import type { Task } from './task.ts'
import { unlessAborted } from './unless-aborted.ts'

/** What a timer can wait; longer times are as good as for ever. */
const LONGEST_TIMER_MS = 2 ** 31 - 1

export interface OpenModelsOptions {
  /** Milliseconds that a model stays open without being used. */
  readonly keepAlive: number
  /** Bytes of all open models above which unused ones are closed. */
  readonly memoryBudget: number
}

interface Entry {
  readonly task: Promise<Task>
  /** Stops opening it. */
  readonly opening: AbortController
  isOpen: boolean
  /** 0 until it is known. */
  bytes: number
  users: number
  timer?: ReturnType<typeof setTimeout>
}

/**
 * The models that are open. One that nobody uses is closed after `keepAlive`, or earlier, the one unused for longest
 * first, where the others need its memory. One in use is never closed, so that models in use may exceed the budget.
 */
export class OpenModels {
  readonly #options: OpenModelsOptions
  /** By folder, the one used last at the end. */
  readonly #entries = new Map<string, Entry>()
  readonly #closing = new Set<Promise<void>>()

  constructor(options: OpenModelsOptions) {
    this.#options = options
  }

  /**
   * Does some work with a model, which is opened unless it is. A failure to open is not kept, so that the next use
   * tries again.
   *
   * @param weigh bytes that the model will take
   * @param open may stop where its signal fires: when nobody waits for the model any more
   * @param signal ends the wait for the model; it does not stop the work
   * @throws AbortedError
   */
  async use<T>(
    folder: string,
    weigh: () => Promise<number>,
    open: (signal: AbortSignal) => Promise<Task>,
    work: (task: Task) => T | Promise<T>,
    signal: AbortSignal,
  ): Promise<T> {
    if (signal.aborted) throw new AbortedError(undefined, { cause: signal.reason })
    while (this.#isStopping(folder)) await unlessAborted(() => this.#outcome(folder), signal)
    const entry = this.#entries.get(folder) ?? this.#add(folder, weigh, open)
    entry.users++
    clearTimeout(entry.timer)
    try {
      return await work(await unlessAborted(() => entry.task, signal))
    } finally {
      entry.users--
      this.#rest(folder, entry)
    }
  }

  /** Closes all models, which nobody may be using. */
  async dispose(): Promise<void> {
    for (const [folder, entry] of this.#entries) void this.#close(folder, entry)
    await Promise.all(this.#closing)
  }

  /** Whether opening a model was told to stop and has not ended yet: it may be open in the end all the same. */
  #isStopping(folder: string): boolean {
    const entry = this.#entries.get(folder)
    return entry !== undefined && !entry.isOpen && entry.opening.signal.aborted
  }

  /** Resolves when a model is open or could not be opened. */
  async #outcome(folder: string): Promise<void> {
    await this.#entries.get(folder)?.task.catch(() => {})
  }

  #add(folder: string, weigh: () => Promise<number>, open: (signal: AbortSignal) => Promise<Task>): Entry {
    const opening = new AbortController()
    const openWhenFits = async () => {
      entry.bytes = await weigh()
      await this.#makeRoom()
      const task = await open(opening.signal)
      entry.isOpen = true
      if (entry.users === 0) this.#rest(folder, entry)
      return task
    }
    const entry: Entry = { bytes: 0, users: 0, isOpen: false, opening, task: Promise.resolve().then(openWhenFits) }
    entry.task.catch(() => this.#entries.get(folder) === entry && this.#entries.delete(folder))
    this.#entries.set(folder, entry)
    return entry
  }

  /** After a use: the model is now the one used last, and is closed when its time is over. One not open yet need not be opened. */
  #rest(folder: string, entry: Entry): void {
    if (this.#entries.get(folder) !== entry) return
    if (entry.users === 0 && !entry.isOpen) return entry.opening.abort()
    this.#entries.delete(folder)
    this.#entries.set(folder, entry)
    if (entry.users > 0) return
    const { keepAlive } = this.#options
    if (keepAlive <= LONGEST_TIMER_MS) {
      entry.timer = setTimeout(() => void this.#close(folder, entry), keepAlive)
      // In browsers it is a number, and there is no process to keep alive.
      if (typeof entry.timer === 'object') entry.timer.unref()
    }
    void this.#makeRoom()
  }

  /** Spares the model used last: one that exceeds the budget alone would otherwise be opened anew for every job. */
  async #makeRoom(): Promise<void> {
    const entries = [...this.#entries]
    let excess = entries.reduce((sum, [, { bytes }]) => sum + bytes, -this.#options.memoryBudget)
    const closing: Promise<void>[] = []
    for (const [folder, entry] of entries.slice(0, -1)) {
      if (excess <= 0) break
      if (entry.users > 0) continue
      excess -= entry.bytes
      closing.push(this.#close(folder, entry))
    }
    await Promise.all(closing)
  }

  /** Never rejects: whoever waits has other work, which did not fail. */
  #close(folder: string, entry: Entry): Promise<void> {
    this.#entries.delete(folder)
    clearTimeout(entry.timer)
    entry.opening.abort()
    const closing = entry.task.then((task) => task.dispose()).catch(() => {})
    this.#closing.add(closing)
    return closing.finally(() => this.#closing.delete(closing))
  }
}
