import type { CallKind } from '../jobs.ts'
import { FairQueue } from './fair-queue.ts'
import type { Job } from './job.ts'

/** Calls of one kind of work that a worker has or that wait for it. */
export class Lane {
  readonly waiting = new FairQueue<Job>()
  /** Jobs at the other end, by id. An aborted one stays until that end has let go of it. */
  readonly running = new Map<number, Job>()

  /** Calls that run or wait. */
  get size(): number {
    return this.running.size + this.waiting.size
  }

  /** Whether a call is taken. Who has none here is not refused because of the others': up to twice as many are taken. */
  hasRoom(client: string, most: number): boolean {
    return this.size < most || (this.size < 2 * most && !this.waiting.has(client) && !this.#busy().has(client))
  }

  /** The job to start now. Who has none running need not wait for a place that others hold: up to twice as many may run. */
  next(most: number): Job | undefined {
    if (this.running.size < most) return this.waiting.take()
    if (this.running.size >= 2 * most) return undefined
    const busy = this.#busy()
    return this.waiting.take((client) => !busy.has(client))
  }

  #busy(): ReadonlySet<string> {
    return new Set(Array.from(this.running.values(), ({ client }) => client))
  }
}

/** Pictures take minutes, and decisions milliseconds: neither takes the places of the other. */
export class Lanes {
  readonly #decisions = new Lane()
  readonly #pictures = new Lane()
  readonly all = [this.#decisions, this.#pictures] as const

  get waiting(): number {
    return this.#decisions.waiting.size + this.#pictures.waiting.size
  }

  get running(): number {
    return this.#decisions.running.size + this.#pictures.running.size
  }

  of(kind: CallKind): Lane {
    return kind === 'generateImage' || kind === 'editImage' ? this.#pictures : this.#decisions
  }

  /** The one that a call runs in; undefined where it does not. */
  with(id: number): Lane | undefined {
    return this.all.find(({ running }) => running.has(id))
  }
}
