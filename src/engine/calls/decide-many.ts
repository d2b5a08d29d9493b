import { throwIfAborted } from '../../errors/aborted-by.ts'
import { EngineDisposedError, type TesseraError, toTesseraError } from '../../errors/index.ts'
import { count, readOption } from '../../options/index.ts'
import type { DecisionRequestInput, DecisionResponse, ExactRequest, ResponseTo } from '../../schemas/index.ts'
import type { CallOptions } from './call-options.ts'
import { checkCall } from './check-call.ts'
import { Listening } from './listening.ts'
import { RequestSource } from './request-source.ts'

/** Requests that are worked on or wait to be taken; the engine itself reads a few at a time. */
const CONCURRENCY = 8

/** Requests for `decideMany`: a list, or what gives them one after the other. Their questions may differ. */
export type DecisionRequests<Request extends DecisionRequestInput> =
  // The list for itself, of which the compiler says which request is wrong, and where.
  | readonly (Request & ExactRequest<Request>)[]
  | Iterable<Request & ExactRequest<Request>>
  | AsyncIterable<Request & ExactRequest<Request>>

/** One of many: the response to a request, or why there is none. */
export type DecisionOutcome<Response = DecisionResponse> =
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
      readonly response: Response
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
export interface DecideManyOptions<Response = DecisionResponse> extends Pick<
  CallOptions,
  'signal' | 'client' | 'priority' | 'keepState' | 'lora'
> {
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
   * Called with each outcome as soon as it is there, in any order: for progress. The loop goes on while an async function is at work, and
   * waits for it at its end. What it throws ends the loop when that outcome would have been its next, or at once where it was handed over
   * before; it is a warning where the loop was left. Nothing bounds how many of its promises are underway: what is slow, such as writes to a
   * database, belongs into the loop.
   *
   * @example
   * ```ts
   * let done = 0
   * for await (const outcome of decideMany([request], { onResult: () => console.error(++done) })) console.log(outcome.index)
   * ```
   */
  readonly onResult?: ((outcome: DecisionOutcome<Response>) => void) | undefined
}

type Decide = (request: DecisionRequestInput, options: CallOptions) => Promise<DecisionResponse>

/**
 * Decides on many requests, a few at a time, and yields their outcomes in their order, each as soon as it is there. What cannot be answered is an
 * outcome too. Whoever takes outcomes slowly slows the reading of `requests` down; leaving the loop stops the work.
 *
 * @throws InvalidRequestError for the options, or where `requests` cannot be iterated; AbortedError when the signal fires; EngineDisposedError; what `requests` throws, after the outcomes of
 * all that came before
 */
export async function* decideEach<const Request extends DecisionRequestInput>(
  decide: Decide,
  requests: DecisionRequests<Request>,
  options: DecideManyOptions<ResponseTo<Request>> = {},
): AsyncGenerator<DecisionOutcome<ResponseTo<Request>>, void, undefined> {
  type Outcome = DecisionOutcome<ResponseTo<Request>>
  const { concurrency = CONCURRENCY, onResult, signal, ...call } = checkCall('decideMany', options)
  readOption('concurrency', count(1), concurrency)
  const leaving = new AbortController()
  const stop = signal === undefined ? leaving.signal : AbortSignal.any([signal, leaving.signal])
  let notice = () => {}
  const listening = new Listening(onResult, () => notice())
  const source = new RequestSource<DecisionRequestInput>(requests, () => notice())
  const underway: Underway<Outcome>[] = []
  const start = async (request: DecisionRequestInput, index: number): Promise<Outcome> => {
    const decided = decide(request, { ...call, signal: stop }) as Promise<ResponseTo<Request>>
    const outcome = await settle(decided, index, stop)
    listening.tell(outcome, index)
    return outcome
  }
  const onAbort = () => notice()
  stop.addEventListener('abort', onAbort)
  try {
    for (let index = 0; underway.length > 0 || !source.isOver;) {
      throwIfAborted(stop)
      listening.throwIfFailed(index - underway.length)
      if (underway[0]?.isSettled) {
        yield await underway.shift()!.outcome
        continue
      }
      const next = underway.length < concurrency ? source.take() : undefined
      if (next) underway.push(follow(start(next.request, index++), () => notice()))
      else await new Promise<void>((resolve) => (notice = resolve))
    }
    source.throwIfFailed()
    await listening.settled(stop)
  } finally {
    stop.removeEventListener('abort', onAbort)
    leaving.abort()
    listening.end()
    await Promise.allSettled(underway.map(({ outcome }) => outcome))
    await source.close()
  }
}

/** An abort ends all, and so does the end of the engine: they are no outcome of one. */
async function settle<Response extends DecisionResponse>(
  decided: Promise<Response>,
  index: number,
  signal: AbortSignal,
): Promise<DecisionOutcome<Response>> {
  try {
    return { index, response: await decided }
  } catch (thrown) {
    const error = toTesseraError(thrown)
    if (signal.aborted || EngineDisposedError.isInstance(error)) throw error
    return { index, error }
  }
}

interface Underway<Outcome> {
  readonly outcome: Promise<Outcome>
  isSettled: boolean
}

/** An outcome is waited for in its turn; until then nobody must take it for unhandled. */
function follow<Outcome>(outcome: Promise<Outcome>, onSettled: () => void): Underway<Outcome> {
  const followed: Underway<Outcome> = { outcome, isSettled: false }
  const settled = () => {
    followed.isSettled = true
    onSettled()
  }
  outcome.then(settled, settled)
  return followed
}
