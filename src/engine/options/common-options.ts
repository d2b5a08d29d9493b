import * as z from 'zod'
import { type OwnCalibration, ownCalibrationSchema } from '../../decide/own-calibration.ts'
import { amount, count, flag, mustBe, text } from '../../options/index.ts'
import { LIMITS } from '../../schemas/index.ts'

/** Options of an engine wherever it runs. */
export interface CommonEngineOptions {
  /**
   * Threads that one call computes with on the CPU, 1 to 256. Default: in browsers half of the processors, and always 1 on a page
   * that is not cross-origin isolated; in Node by the number of processors.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ threads: 4 })
   * ```
   */
  readonly threads?: number | undefined
  /**
   * Runs models in a worker (default), or in the calling thread, which then stalls while they compute.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ worker: false })
   * ```
   */
  readonly worker?: boolean | undefined
  /**
   * Milliseconds that a model stays open after its last use; 0 closes it at once, `Infinity` never. Default 300000, five
   * minutes.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ keepAlive: 60_000 })
   * ```
   */
  readonly keepAlive?: number | undefined
  /**
   * Bytes of memory that open models may take together: what is predicted of them on a processor, of small models and on devices
   * the size of their files. Beyond it the ones that were not used for longest are closed; those in use never are, nor is the one
   * used last. Image models that are larger work in stages: their parts are opened when it is their turn, and closed for the next.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ memoryBudget: 4e9 })
   * ```
   */
  readonly memoryBudget?: number | undefined
  /**
   * Calls that take turns at computing in a worker, so many for decisions and so many for pictures, 1 or more; clients that have none of them may start more, up
   * to twice as many. Default 4.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ maxConcurrent: 2 })
   * ```
   */
  readonly maxConcurrent?: number | undefined
  /**
   * Names of models that are opened before the engine is there, in every worker that may have calls for them, answer once, and
   * stay open: what is wrong with one of them is an error of `createEngine`. Default: none; each model is opened with the first call for it.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ preload: ['decide-latest'] })
   * ```
   */
  readonly preload?: readonly string[] | undefined
  /**
   * Calls that wait beyond the `maxConcurrent` that are computed, for each worker, so many for decisions and so many for pictures, 0 or more; others are refused at once
   * with OverloadedError. One of a client that has no other is still taken, up to twice as many. Default: calls wait as long as it takes, and 64 wait in front of one that asks
   * to be refused (`whenBusy`), as those of the service do.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ maxQueue: 100 })
   * ```
   */
  readonly maxQueue?: number | undefined
  /**
   * Most options of a choice, 2 or more. Default 26, as in the specification. Plain language models answer with letters, and
   * beyond 26 options with pairs of letters, of which their tokenizer may have too few; they refuse more than these, or 255.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ maxOptions: 50 })
   * ```
   */
  readonly maxOptions?: number | undefined
  /**
   * Has models that answer with letters, digits or yes and no asked every question twice, with the options as given and from the
   * last to the first, and takes the mean of both logits: what a model prefers for its place in the list cancels out. The state is
   * still read once; the questions take twice as long, and their tokens count once. Default false.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ bothOrders: true })
   * ```
   */
  readonly bothOrders?: boolean | undefined
  /**
   * Adds `symbol_mass` to decisions of models that answer with letters, digits or yes and no: how probable the symbols are among all that the model could write. It
   * computes the logits of the whole vocabulary, for which weights in 32 bits take the memory of the output layer once more.
   * Default false.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ symbolMass: true })
   * ```
   */
  readonly symbolMass?: boolean | undefined
  /**
   * Corrections of answers that `calibrate` fitted to labelled rows of your own: the content of its file. It is refused where
   * no model of this engine is the one that it was made for; other models, and questions that it does not know, are answered as without it.
   *
   * @example
   * ```ts
   * const calibration = JSON.parse(await readFile('calibration.json', 'utf8'))
   * const engine = await createEngine({ calibration })
   * ```
   */
  readonly calibration?: OwnCalibration | undefined
}

/** The same with checks and defaults; `memoryBudget` and `threads` default to what the machine has. */
export const COMMON_OPTIONS = {
  threads: count(1, 256).optional(),
  worker: flag.default(true),
  keepAlive: amount(0).default(300_000),
  memoryBudget: amount(0).optional(),
  maxConcurrent: count(1).default(4),
  maxQueue: count(0).optional(),
  preload: z.array(text('the name of a model'), mustBe('an array of names of models')).default([]),
  calibration: ownCalibrationSchema.optional(),
  bothOrders: flag.default(false),
  symbolMass: flag.default(false),
  maxOptions: count(LIMITS.options.min).default(LIMITS.options.max),
} satisfies Record<keyof CommonEngineOptions, unknown>
