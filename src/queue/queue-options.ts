import * as z from 'zod'
import { callback, count, flag, LONGEST_TIMER_MS, mustBe, oneOf, optionTable, text } from '../options/index.ts'
import { LIMITS } from '../schemas/index.ts'
import { QUEUES, type QueueName } from './queue-names.ts'
import { createSealer, PLAINTEXT, type Sealer } from './sealer.ts'
import { showWorkerFault, type WorkerFault } from './worker/worker-fault.ts'

/** What fronts and workers of one queue agree on. */
export interface ConnectionOptions {
  /**
   * URL of the Redis or Valkey server, such as `redis://user:password@host:6379`; `rediss:` for TLS.
   *
   * @example
   * ```ts
   * const engine = createQueueEngine({ connection: 'redis://localhost:6379' })
   * ```
   */
  readonly connection: string
  /**
   * Keys that seal what goes through the queue, as `id:base64` of 32 bytes, separated by commas: the first one seals, all open. A new one
   * comes behind the old one in all processes, then in front of it. Default: the variable `TESSERA_QUEUE_KEYS`.
   *
   * @example
   * ```ts
   * const engine = createQueueEngine({ connection, keys: process.env.QUEUE_KEYS })
   * ```
   */
  readonly keys?: string | undefined
  /**
   * Sends prompts, states and pictures so that the server can read them; default false, which refuses to start without keys.
   *
   * @example
   * ```ts
   * const engine = createQueueEngine({ connection, plaintext: true })
   * ```
   */
  readonly plaintext?: boolean | undefined
}

/** What `createQueueEngine` takes. */
export interface QueueEngineOptions extends ConnectionOptions {
  /**
   * Calls that may wait for a model; a service refuses more with 529, but for those of clients that have none waiting: it takes up to twice as
   * many. Default 1000.
   *
   * @example
   * ```ts
   * const engine = createQueueEngine({ connection, maxWaiting: 200 })
   * ```
   */
  readonly maxWaiting?: number | undefined
  /**
   * Most options of a choice, 2 or more; default 26. Workers must allow them too.
   *
   * @example
   * ```ts
   * const engine = createQueueEngine({ connection, maxOptions: 50 })
   * ```
   */
  readonly maxOptions?: number | undefined
}

/** What `runWorker` takes. */
export interface WorkerOptions extends ConnectionOptions {
  /**
   * Kinds of work to take; default those that its models do.
   *
   * @example
   * ```ts
   * const worker = await runWorker(engine, { connection, jobs: ['images'] })
   * ```
   */
  readonly jobs?: readonly QueueName[] | undefined
  /**
   * Names of models to take calls for, and the hub ids or embedded models behind them; default all that the engine has.
   *
   * @example
   * ```ts
   * const worker = await runWorker(engine, { connection, models: ['decide-latest'] })
   * ```
   */
  readonly models?: readonly string[] | undefined
  /**
   * Calls of each kind to work on at a time, over all models; default 4.
   *
   * @example
   * ```ts
   * const worker = await runWorker(engine, { connection, concurrency: 1 })
   * ```
   */
  readonly concurrency?: number | undefined
  /**
   * Milliseconds after a worker's last sign of life in which its calls go to another one, from 1000 to 2147483647; default 15,000.
   *
   * @example
   * ```ts
   * const worker = await runWorker(engine, { connection, leaseMs: 5000 })
   * ```
   */
  readonly leaseMs?: number | undefined
  /**
   * Told of each call that fails by a fault of this worker (status 500 and above), with the cause, which the front never sees.
   * Without it they go to stderr.
   *
   * @example
   * ```ts
   * const worker = await runWorker(engine, { connection, onFault: ({ callId, error }) => console.error(callId, error.code) })
   * ```
   */
  readonly onFault?: ((fault: WorkerFault) => void) | undefined
}

export const SHARED = {
  connection: text('the URL of a Redis server'),
  keys: text('keys').optional(),
  plaintext: flag.default(false),
}

export const QUEUE_ENGINE = optionTable('a queue engine', {
  ...SHARED,
  maxWaiting: count(1).default(1000),
  maxOptions: count(LIMITS.options.min).optional(),
} satisfies Record<keyof QueueEngineOptions, unknown>)

export const WORKER = optionTable('a worker', {
  ...SHARED,
  jobs: z
    .array(oneOf(QUEUES), mustBe(`an array of ${QUEUES.join(', ')}`))
    .min(1, `must have one at least of ${QUEUES.join(', ')}; leave it out for all that its models do`)
    .optional(),
  models: z
    .array(text('the name of a model'), mustBe('an array of names of models'))
    .min(1, 'must have one name at least; leave it out for all models of the engine')
    .optional(),
  concurrency: count(1).default(4),
  leaseMs: count(1000, LONGEST_TIMER_MS).default(15_000),
  onFault: callback<(fault: WorkerFault) => void>().default(() => showWorkerFault),
} satisfies Record<keyof WorkerOptions, unknown>)

export function openSealer({
  keys,
  plaintext,
}: {
  readonly keys?: string | undefined
  readonly plaintext: boolean
}): Sealer {
  return plaintext ? PLAINTEXT : createSealer(keys)
}
