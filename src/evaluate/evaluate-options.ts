import type { Engine } from '../engine/index.ts'
import { callback, count, withMethods } from '../options/index.ts'
import { LIMITS } from '../schemas/index.ts'

/** What answers decisions: an engine of this library, or anything else with the same method; `maxOptions` is what it takes. */
export type Decides = Pick<Engine, 'decide' | 'maxOptions'>

/** What `evaluate` may be told beside its rows. */
export interface EvaluateOptions {
  /**
   * Stops it; rejects with AbortedError.
   *
   * @example
   * ```ts
   * const { overall } = await evaluate(engine, rows, { signal: AbortSignal.timeout(60_000) })
   * ```
   */
  readonly signal?: AbortSignal | undefined
  /**
   * Called after every row. What it throws ends the evaluation, also as an async function, which is waited for at the end only.
   *
   * @example
   * ```ts
   * await evaluate(engine, rows, { onProgress: ({ done, total }) => console.error(`${done} of ${total}`) })
   * ```
   */
  readonly onProgress?: ((progress: { readonly done: number; readonly total: number }) => void) | undefined
  /**
   * Rows that are asked at the same time, 1 or more. @defaultValue 2
   *
   * @example
   * ```ts
   * await evaluate(engine, rows, { concurrency: 8 })
   * ```
   */
  readonly concurrency?: number | undefined
  /**
   * Most options of a choice, 2 or more: rows that have more are refused before any is asked. @defaultValue those of the engine
   *
   * @example
   * ```ts
   * await evaluate(engine, rows, { maxOptions: 10 })
   * ```
   */
  readonly maxOptions?: number | undefined
}

export const EVALUATE = {
  signal: withMethods<AbortSignal>('an AbortSignal', 'addEventListener').optional(),
  onProgress: callback<NonNullable<EvaluateOptions['onProgress']>>().optional(),
  concurrency: count(1).default(2),
  maxOptions: count(LIMITS.options.min).optional(),
} satisfies Record<keyof EvaluateOptions, unknown>
