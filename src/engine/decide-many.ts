import { type TesseraError, toTesseraError } from '../errors/index.ts'
import { count, readOption } from '../options/index.ts'
import type { DecisionRequestInput, DecisionResponse } from '../schemas/index.ts'
import type { CallOptions } from './call-options.ts'
import { checkCall } from './check-call.ts'

/** Requests that are worked on or wait to be taken; the engine itself reads a few at a time. */
const CONCURRENCY = 8

/** One of many: the response to a request, or why there is none. */
export type DecisionOutcome =
  | {
      /**
       * Place of the request among all, from 0.
       *
       * @example
       * ```ts
       * for await (const { index } of decideMany([request])) console.log(index)
       * ```
       */
      readonly index: number
      /**
       * The answers.
       *
       * @example
       * ```ts
       * for await (const { response } of decideMany([request])) console.log(response?.answers)
       * ```
       */
      readonly response: DecisionResponse
      /**
       * Absent: the request was answered.
       *
       * @example
       * ```ts
       * for await (const { error } of decideMany([request])) if (!error) console.log('answered')
       * ```
       */
      readonly error?: undefined
    }
  | {
      /**
       * Place of the request among all, from 0.
       *
       * @example
       * ```ts
       * for await (const { index } of decideMany([request])) console.log(index)
       * ```
       */
      readonly index: number
      /**
       * Absent: `error` says why.
       *
       * @example
       * ```ts
       * for await (const { response } of decideMany([request])) if (!response) console.log('no answer')
       * ```
       */
      /**
       * Absent: `error` says why.
       *
       * @example
       * ```ts
       * for await (const { response } of decideMany([request])) if (!response) console.log('no answer')
       * ```
       */
      readonly response?: undefined
      /**
       * What is wrong with this request; the others go on.
       *
       * @example
       * ```ts
       * for await (const { index, error } of decideMany([request])) if (error) console.error(index, error.message)
       * ```
       */
      readonly error: TesseraError
    }

/** What `decideMany` may be told beside its requests. */
export interface DecideManyOptions extends Pick<CallOptions, 'signal' | 'client' | 'lora'> {
  /**
   * Requests that are taken and not handed over yet, 1 or more; no more are read from `requests`. Default 8.
   *
   * @example
   * ```ts
   * for await (const outcome of decideMany([request], { concurrency: 4 })) console.log(outcome.index)
   * ```
   */
  readonly concurrency?: number | undefined
  /**
   * Called with each outcome as soon as it is there, in any order: for progress.
   *
   * @example
   * ```ts
   * let done = 0
   * for await (const outcome of decideMany([request], { onResult: () => console.error(++done) })) console.log(outcome.index)
   * ```
   */
  readonly onResult?: ((outcome: DecisionOutcome) => void) | undefined
}

type Decide = (request: DecisionRequestInput, options: CallOptions) => Promise<DecisionResponse>

/**
 * Decides on many requests, a few at a time, and yields their outcomes in their order. What cannot be answered is an
 * outcome too. Whoever takes outcomes slowly slows the reading of `requests` down; leaving the loop stops the work.
 *
 * @throws InvalidRequestError for the options; AbortedError when the signal fires; what `requests` throws
 */
export async function* decideEach(
  decide: Decide,
  requests: Iterable<DecisionRequestInput> | AsyncIterable<DecisionRequestInput>,
  options: DecideManyOptions = {},
): AsyncGenerator<DecisionOutcome, void, undefined> {
  checkCall('decideMany', options)
  const { concurrency = CONCURRENCY, onResult, signal, client, lora } = options
  readOption('concurrency', count(1), concurrency)
  const leaving = new AbortController()
  const stop = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal])
  const underway: Promise<DecisionOutcome>[] = []
  const start = async (request: DecisionRequestInput, index: number): Promise<DecisionOutcome> => {
    const outcome = await settle(decide(request, { signal: stop, client, lora }), index)
    onResult?.(outcome)
    return outcome
  }
  try {
    let index = 0
    for await (const request of requests) {
      if (underway.length === concurrency) yield await oldest(underway)
      const outcome = start(request, index++)
      // It is waited for in its turn; until then nobody must take it for unhandled.
      outcome.catch(() => {})
      underway.push(outcome)
    }
    while (underway.length > 0) yield await oldest(underway)
  } finally {
    leaving.abort()
    await Promise.allSettled(underway)
  }

  /** An abort ends all, and is no outcome of one. */
  async function settle(response: Promise<DecisionResponse>, index: number): Promise<DecisionOutcome> {
    try {
      return { index, response: await response }
    } catch (thrown) {
      const error = toTesseraError(thrown)
      if (stop.aborted) throw error
      return { index, error }
    }
  }
}

function oldest<T>(waiting: T[]): T {
  return waiting.shift()!
}
