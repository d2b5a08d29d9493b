import { AbortedError, EngineDisposedError, type TesseraError, toTesseraError } from '../errors/index.ts'
import { count, readOption } from '../options/index.ts'
import type { DecisionRequestInput, DecisionResponse } from '../schemas/index.ts'
import type { CallOptions } from './call-options.ts'
import { checkCall } from './check-call.ts'
import { RequestSource } from './request-source.ts'

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
export interface DecideManyOptions extends Pick<CallOptions, 'signal' | 'client' | 'priority' | 'keepState' | 'lora'> {
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
 * Decides on many requests, a few at a time, and yields their outcomes in their order, each as soon as it is there. What cannot be answered is an
 * outcome too. Whoever takes outcomes slowly slows the reading of `requests` down; leaving the loop stops the work.
 *
 * @throws InvalidRequestError for the options, or where `requests` cannot be iterated; AbortedError when the signal fires; EngineDisposedError; what `requests` throws, after the outcomes of
 * all that came before
 */
export async function* decideEach(
  decide: Decide,
  requests: Iterable<DecisionRequestInput> | AsyncIterable<DecisionRequestInput>,
  options: DecideManyOptions = {},
): AsyncGenerator<DecisionOutcome, void, undefined> {
  checkCall('decideMany', options)
  const { concurrency = CONCURRENCY, onResult, signal, ...call } = options
  readOption('concurrency', count(1), concurrency)
  const leaving = new AbortController()
  const stop = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal])
  let notice = () => {}
  const source = new RequestSource(requests, () => notice())
  const underway: Underway[] = []
  const start = async (request: DecisionRequestInput, index: number): Promise<DecisionOutcome> => {
    const outcome = await settle(decide(request, { ...call, signal: stop }), index)
    onResult?.(outcome)
    return outcome
  }
  const onAbort = () => notice()
  stop.addEventListener('abort', onAbort)
  try {
    for (let index = 0; underway.length > 0 || !source.isOver;) {
      if (stop.aborted) throw new AbortedError(undefined, { cause: stop.reason })
      if (underway[0]?.isSettled) {
        yield await underway.shift()!.outcome
        continue
      }
      const next = underway.length < concurrency ? source.take() : undefined
      if (next) underway.push(follow(start(next.request, index++), () => notice()))
      else await new Promise<void>((resolve) => (notice = resolve))
    }
    source.throwIfFailed()
  } finally {
    stop.removeEventListener('abort', onAbort)
    leaving.abort()
    await Promise.allSettled(underway.map(({ outcome }) => outcome))
    await source.close()
  }

  /** An abort ends all, and so does the end of the engine: they are no outcome of one. */
  async function settle(response: Promise<DecisionResponse>, index: number): Promise<DecisionOutcome> {
    try {
      return { index, response: await response }
    } catch (thrown) {
      const error = toTesseraError(thrown)
      if (stop.aborted || EngineDisposedError.isInstance(error)) throw error
      return { index, error }
    }
  }
}

interface Underway {
  readonly outcome: Promise<DecisionOutcome>
  isSettled: boolean
}

/** An outcome is waited for in its turn; until then nobody must take it for unhandled. */
function follow(outcome: Promise<DecisionOutcome>, onSettled: () => void): Underway {
  const followed: Underway = { outcome, isSettled: false }
  const settled = () => {
    followed.isSettled = true
    onSettled()
  }
  outcome.then(settled, settled)
  return followed
}
