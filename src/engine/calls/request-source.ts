import { InvalidRequestError } from '../../errors/index.ts'
import { kindOf } from '../../schemas/fault.ts'

/** Requests that come when they come: one is read at a time, and what else happens is not kept waiting meanwhile. */
export class RequestSource<Request> {
  readonly #iterator: Iterator<Request> | AsyncIterator<Request>
  readonly #onNews: () => void
  #isReading = false
  #isOver = false
  #read: { readonly request: Request } | undefined
  #failure: { readonly thrown: unknown } | undefined

  /**
   * @param onNews called when a request has come, or none will
   * @throws InvalidRequestError where `requests` cannot be iterated
   */
  constructor(requests: Iterable<Request> | AsyncIterable<Request>, onNews: () => void) {
    this.#iterator = iterate(requests)
    this.#onNews = onNews
  }

  /** Whether all that came was taken, and nothing more will come. */
  get isOver(): boolean {
    return this.#isOver && this.#read === undefined
  }

  /** The request that has come, if one has; else the next is read. */
  take(): { readonly request: Request } | undefined {
    const read = this.#read
    this.#read = undefined
    if (read === undefined && !this.#isReading && !this.#isOver) void this.#next()
    return read
  }

  /** @throws what the requests have thrown, which is their end */
  throwIfFailed(): void {
    if (this.#failure) throw this.#failure.thrown
  }

  /** Lets its requests go. One that is still to come is not waited for: it may never do. */
  async close(): Promise<void> {
    if (this.#isOver) return
    const closed = this.#iterator.return?.()
    if (this.#isReading) void Promise.resolve(closed).catch(() => {})
    else await closed
  }

  async #next(): Promise<void> {
    this.#isReading = true
    try {
      const { done, value } = await this.#iterator.next()
      if (done) this.#isOver = true
      else this.#read = { request: await value }
    } catch (thrown) {
      this.#isOver = true
      this.#failure = { thrown }
    }
    this.#isReading = false
    this.#onNews()
  }
}

function iterate<Request>(requests: Iterable<Request> | AsyncIterable<Request>) {
  // A text is no list of requests, though its characters can be taken one by one.
  if (typeof requests === 'object' && requests !== null) {
    if (Symbol.asyncIterator in requests) return requests[Symbol.asyncIterator]()
    if (Symbol.iterator in requests) return requests[Symbol.iterator]()
  }
  const reason = `must be an array of requests, an iterable or an async iterable, got ${kindOf(requests)}`
  throw new InvalidRequestError('requests', reason)
}
