import { type EngineActivity, sumActivities } from './activity.ts'
import type { ListeningOptions, LoadOptions } from './call-options.ts'
import type { Connect } from './connection.ts'
import { Dispatcher } from './dispatcher.ts'
import type { JobKind, Jobs } from './jobs.ts'
import type { BackendInfo } from './protocol.ts'
import type { ResolvedOptions } from './resolve-options.ts'

/** Calls that wait where `maxQueue` is not set. */
const MANY_WAITING = 64

/** Several workers, each behind a queue of its own. Calls go to the one that has least to do. */
export class WorkerPool {
  readonly #dispatchers: readonly [Dispatcher, ...Dispatcher[]]
  readonly #many: number

  constructor(connect: Connect, options: ResolvedOptions) {
    this.#many = options.maxConcurrent + (options.maxQueue ?? MANY_WAITING)
    const others = Array.from({ length: options.workers - 1 }, () => new Dispatcher(connect, options))
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

  submit<Kind extends JobKind>(
    kind: Kind,
    model: string,
    request: Jobs[Kind]['request'],
    options?: ListeningOptions,
  ): Promise<Jobs[Kind]['response']> {
    // The first of equals is taken: it has the models of earlier calls open.
    // One that could not start would always have least to do: it is tried again when the others have many waiting.
    const load = ({ size, failed }: Dispatcher) => (failed ? this.#many - 0.5 + size : size)
    const idlest = this.#dispatchers.reduce((best, other) => (load(other) < load(best) ? other : best))
    return idlest.submit(kind, model, request, options)
  }

  /** Opens a model in every worker. */
  async load(name: string, options?: LoadOptions): Promise<void> {
    await Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.load(name, options)))
  }

  /** Rejects everything pending and stops the workers. Safe to call twice. */
  async dispose(): Promise<void> {
    await Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.dispose()))
  }
}
