import type { ListeningOptions, LoadOptions } from '../calls/call-options.ts'
import { checkLoad } from '../calls/check-call.ts'
import type { JobKind, Jobs } from '../jobs.ts'
import type { ResolvedOptions } from '../options/resolve-options.ts'
import { type EngineActivity, sumActivities } from './activity.ts'
import type { Connect } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import type { BackendInfo } from './protocol.ts'

/** Calls that wait where `maxQueue` is not set. */
const MANY_WAITING = 64

/** Names come from the network; those that were asked about last are remembered. */
const MOST_NAMES = 256

/** Whether several workers may have the model of that name open. Rejects where it cannot be found out. */
export type MayShare = (name: string) => Promise<boolean>

/**
 * Several workers, each behind a queue of its own. Calls go to the one that has least to do. Where the others are narrow, the first has calls that
 * are alone, and those for models that are not shared.
 */
export class WorkerPool {
  readonly #dispatchers: readonly [Dispatcher, ...Dispatcher[]]
  readonly #many: number
  readonly #mayShare: MayShare | undefined
  readonly #shared = new Map<string, boolean>()
  /** Of each name, the loads that are to keep its model open, under way or done. */
  readonly #keeping = new Map<string, number>()

  /** @param mayShare is asked where there are narrow workers */
  constructor(connect: Connect, options: ResolvedOptions, mayShare: MayShare) {
    this.#many = options.maxConcurrent + (options.maxQueue ?? MANY_WAITING)
    const { narrow, workers } = options
    if (narrow) this.#mayShare = mayShare
    const ofOthers = narrow === undefined ? options : { ...options, settings: narrow }
    const others = Array.from({ length: workers - 1 }, () => new Dispatcher(connect, ofOthers))
    this.#dispatchers = [new Dispatcher(connect, options), ...others]
  }

  /** What runs in the first worker, or ran until its last crash. Undefined before the start. */
  get info(): BackendInfo | undefined {
    return this.#dispatchers[0].info
  }

  get activity(): EngineActivity {
    return sumActivities(this.#dispatchers.map(({ activity }) => activity))
  }

  /** Starts the first worker; the others start with the first call that comes while it is busy. */
  start(): Promise<BackendInfo> {
    return this.#dispatchers[0].start()
  }

  async submit<Kind extends JobKind>(
    kind: Kind,
    model: string,
    request: Jobs[Kind]['request'],
    options?: ListeningOptions,
  ): Promise<Jobs[Kind]['response']> {
    const isAlone = this.#dispatchers.every(({ size }) => size === 0)
    // It is not waited for where the answer changes nothing: calls start in the order in which they come.
    const known = isAlone || this.#mayShare === undefined || this.#shared.get(model)
    const isShared = known ?? (await this.#findShared(model))
    const chosen = isAlone || !isShared ? this.#dispatchers[0] : this.#idlest()
    return chosen.submit(kind, model, request, options)
  }

  /** Opens a model in every worker that may have calls for it, and keeps it open in all of them or in none. */
  async load(name: string, given: LoadOptions = {}): Promise<void> {
    const options = checkLoad(name, given)
    if (!options.keepOpen) return this.#open(name, options)
    const keeping = (others: number) => this.#keeping.set(name, (this.#keeping.get(name) ?? 0) + others).get(name)
    keeping(1)
    try {
      await this.#open(name, options)
    } catch (error) {
      // The workers before the one that failed have it open.
      if (keeping(-1) === 0) for (const { kept } of this.#dispatchers) kept.remove(name)
      throw error
    }
  }

  /** One after another: each looks for itself whether there is memory. */
  async #open(name: string, options: LoadOptions): Promise<void> {
    const isShared = this.#mayShare === undefined || (await this.#findShared(name))
    const dispatchers = isShared ? this.#dispatchers : this.#dispatchers.slice(0, 1)
    for (const dispatcher of dispatchers) await dispatcher.load(name, options)
  }

  #idlest(): Dispatcher {
    const [first] = this.#dispatchers
    // The first of equals is taken: it has the models of earlier calls open.
    // One that could not start would always have least to do: it is tried again when the others have many waiting.
    const isLast = (dispatcher: Dispatcher) =>
      dispatcher.failed || (this.#mayShare !== undefined && dispatcher === first)
    const load = (dispatcher: Dispatcher) => dispatcher.size + (isLast(dispatcher) ? this.#many - 0.5 : 0)
    return this.#dispatchers.reduce((best, other) => (load(other) < load(best) ? other : best))
  }

  async #findShared(name: string): Promise<boolean> {
    try {
      // Devices do one thing at a time, whoever asks.
      const isShared = this.info?.backend === 'cpu' && (await this.#mayShare!(name))
      if (this.#shared.size >= MOST_NAMES) this.#shared.clear()
      this.#shared.set(name, isShared)
      return isShared
    } catch {
      // What is wrong with a model is told by the worker that its call goes to. It is not remembered: the model may be pulled meanwhile.
      return false
    }
  }

  /** Rejects everything pending and stops the workers. Safe to call twice. */
  async dispose(): Promise<void> {
    await Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.dispose()))
  }
}
