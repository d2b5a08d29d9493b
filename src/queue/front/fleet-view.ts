import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import type { EngineActivity, QueueActivity } from '../../engine/pool/activity.ts'
import { OverloadedError } from '../../errors/index.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { isWaiting } from '../lanes.ts'
import type { ModelQueue } from '../queue-names.ts'
import type { QueuedKind } from '../queued-call.ts'
import { type Fleet, readFleet } from '../worker-reports.ts'
import { chooseQueue, notServed } from './choose-queue.ts'
import type { Connected } from './connect-front.ts'
import { ModelTotals } from './model-totals.ts'
import { readQueues } from './queue-activity.ts'

/** What was read is used for so long: twice the time after which a front reads it again. */
const FRESH_MS = 2000
/** What waits is told of for so long: then a worker that says nothing counts as gone, and a server that says nothing is away. */
const TOLD_MS = 10_000

/** What a front knows of the workers, and of what waits for them. */
export class FleetView {
  #fleet: Fleet = { reports: [], known: [] }
  #readAt = -Infinity
  #reading: Promise<Fleet> | undefined
  #queues: readonly QueueActivity[] = []
  #lookedAt = -Infinity
  readonly #models = new ModelTotals()

  /** The workers that were there a moment ago. */
  get reports(): Fleet['reports'] {
    return this.#fleet.reports
  }

  /**
   * What waited in the queues a moment ago, none where nobody knows, and what workers did with their models, those that have gone
   * since included.
   */
  get activity(): Required<Pick<EngineActivity, 'models' | 'queues'>> {
    const isKnown = performance.now() - this.#lookedAt < TOLD_MS
    return { models: this.#models.list(isKnown), queues: isKnown ? this.#queues : [] }
  }

  /** Asks the server; calls that ask at once share the answer. */
  read(client: RedisClient): Promise<Fleet> {
    this.#reading ??= this.#read(client).finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async look(client: RedisClient): Promise<void> {
    this.#queues = await readQueues(client, await this.read(client))
    this.#lookedAt = performance.now()
  }

  /**
   * The queue for a call. What was read a moment ago may choose one, and refuses none: a worker may have come since.
   *
   * @throws InvalidRequestError, ModelNotFoundError
   */
  async choose(client: RedisClient, kind: QueuedKind, model: string = DEFAULT_MODELS[kind]): Promise<ModelQueue> {
    const isFresh = performance.now() - this.#readAt < FRESH_MS && this.reports.length > 0
    const chosen = isFresh ? chooseQueue(kind, model, this.#fleet) : undefined
    if (chosen !== undefined) return chosen
    const fleet = await this.read(client)
    const queue = chooseQueue(kind, model, fleet)
    if (queue === undefined) throw notServed(kind, model, fleet)
    return queue
  }

  /**
   * Who has none there is not refused because of the others': up to twice as many are taken.
   *
   * @throws OverloadedError where so many calls wait in a queue
   */
  async requireRoom({ client, queue }: Connected, name: ModelQueue, maxWaiting: number, caller: string): Promise<void> {
    const { prioritized = 0 } = await queue(name).getJobCounts('prioritized')
    const over = prioritized - maxWaiting + 1
    if (over <= 0 || (prioritized < 2 * maxWaiting && !(await isWaiting(client, name, caller)))) return
    const { reports } = await this.read(client)
    // Each worker that takes from it ends so many calls a millisecond.
    const rate = reports.reduce((sum, { queues, concurrency, meanMs }) => {
      const mean = queues.includes(name) ? (meanMs[name] ?? 0) : 0
      return mean > 0 ? sum + concurrency / mean : sum
    }, 0)
    throw new OverloadedError(
      `${prioritized} calls wait in the queue; retry with backoff`,
      rate > 0 ? { retryAfterMs: Math.ceil(over / rate) } : {},
    )
  }

  async #read(client: RedisClient): Promise<Fleet> {
    this.#fleet = await readFleet(client)
    this.#readAt = performance.now()
    this.#models.note(this.#fleet.reports)
    return this.#fleet
  }
}
