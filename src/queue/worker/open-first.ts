import type { ModelInfo } from '../../engine/index.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { type ModelQueue, openKey, partsOf, PREFIX } from '../queue-names.ts'
import { NOW } from '../server-time.ts'
import type { WorkingEngine } from './working-engine.ts'

/**
 * How long a call is left to the workers that have its model open. They take one within a few milliseconds when they are
 * idle, and opening a model takes longer than this.
 */
export const OPEN_FIRST_MS = 50

/** One that has not said so again for so long is taken for gone. */
const KEPT_MS = 10_000

const SAY_OPEN = `
${NOW}
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])`

const FREE = 'free'

/**
 * Says whether a worker without the model may take a call: when nobody has it open, and when the call that it saw waiting
 * before still waits. Else it is told the call that is next. It may have been woken in place of a worker that has the
 * model open, so whoever is waiting is woken as well. A call that is to be tried again later is put back into the queue
 * by the next worker that tries to take one, whichever that is.
 */
const LOOK = `
local open, marker, wait, prioritized, delayed = unpack(KEYS)
${NOW}
redis.call('ZREMRANGEBYSCORE', open, '-inf', now)
if redis.call('EXISTS', open) == 0 or redis.call('EXISTS', delayed) == 1 then return '${FREE}' end
local seen = ARGV[1]
if seen and (redis.call('ZSCORE', prioritized, seen) or redis.call('LPOS', wait, seen)) then return '${FREE}' end
local next = redis.call('LINDEX', wait, -1) or redis.call('ZRANGE', prioritized, 0, 0)[1]
if next then redis.call('ZADD', marker, 0, '0') end
return next`

/** What a worker sees that would take a call. */
export interface Look {
  readonly mayTake: boolean
  /** The call that is next, where it may not; undefined where none waits. */
  readonly next?: string | undefined
}

/** Of the workers that serve a model, those that have it open take its calls first. */
export class OpenFirst {
  readonly #client: RedisClient
  readonly #worker: string
  readonly #engine: Pick<WorkingEngine, 'activity'>
  /** Ids of the models behind the queues of this worker. */
  readonly #ids: ReadonlyMap<ModelQueue, string>
  #announced: readonly ModelQueue[] = []

  constructor(
    client: RedisClient,
    worker: string,
    engine: Pick<WorkingEngine, 'activity'>,
    queues: readonly ModelQueue[],
    models: readonly ModelInfo[],
  ) {
    this.#client = client
    this.#worker = worker
    this.#engine = engine
    this.#ids = new Map(queues.flatMap((queue) => idOf(queue, models)))
  }

  /** Tells the other workers which models are open here; for them it is so for ten seconds. */
  async announce(): Promise<void> {
    const open = [...this.#ids.keys()].filter((queue) => this.#isOpen(queue))
    const closed = this.#announced.filter((queue) => !open.includes(queue))
    this.#announced = open
    const values = [this.#worker, String(KEPT_MS)]
    await Promise.all([
      ...open.map((queue) => this.#client.eval(SAY_OPEN, { keys: [openKey(queue)], arguments: values })),
      ...closed.map((queue) => this.#client.zRem(openKey(queue), this.#worker)),
    ])
  }

  /** The same, where the model of a call that was answered has not been announced yet. */
  async announceAfter(queue: ModelQueue): Promise<void> {
    if (!this.#announced.includes(queue) && this.#isOpen(queue)) await this.announce()
  }

  async withdraw(): Promise<void> {
    await Promise.all(this.#announced.map((queue) => this.#client.zRem(openKey(queue), this.#worker)))
  }

  /**
   * Whether this worker may take a call. One that has not the model open leaves it to those that have, until it has waited
   * for OPEN_FIRST_MS, which is to be seen by looking again.
   *
   * @param seen call that was next then
   */
  async look(queue: ModelQueue, seen?: string): Promise<Look> {
    if (this.#isOpen(queue)) return { mayTake: true }
    const ofQueue = ['marker', 'wait', 'prioritized', 'delayed'].map((name) => `${PREFIX}:${queue}:${name}`)
    const values = seen === undefined ? [] : [seen]
    const told = await this.#client.eval(LOOK, { keys: [openKey(queue), ...ofQueue], arguments: values })
    return told === FREE ? { mayTake: true } : { mayTake: false, next: (told as string | null) ?? undefined }
  }

  #isOpen(queue: ModelQueue): boolean {
    const id = this.#ids.get(queue)
    return this.#engine.activity().models.some((model) => model.id === id && model.open > 0)
  }
}

function idOf(queue: ModelQueue, models: readonly ModelInfo[]): [ModelQueue, string][] {
  const { model } = partsOf(queue)
  const id = models.find(({ name, id }) => name === model || id === model)?.id
  return id === undefined ? [] : [[queue, id]]
}
