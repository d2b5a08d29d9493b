/** One answered request as its account may see it: nothing of what was asked. */
export interface RecentRequest {
  /** When it was answered, in milliseconds since 1970. */
  readonly time: number
  /** The `x-request-id` of its response. */
  readonly requestId: string
  /** Path of the route. */
  readonly route: string
  /** Of the response; of a streamed one that failed on the way, the status that its error has. */
  readonly status: number
  readonly milliseconds: number
  /** Input tokens of a decision, else images; 0 where there was no answer. */
  readonly units: number
}

const KEPT_EACH = 50
const MOST_ACCOUNTS = 1000

/** The last requests of each account, in the memory of this process: a look at what just happened, not a record. */
export class RecentRequests {
  /** The account that was heard of last comes last. */
  readonly #accounts = new Map<string, RecentRequest[]>()

  add(account: string, request: RecentRequest): void {
    const requests = this.#accounts.get(account) ?? []
    requests.push(request)
    if (requests.length > KEPT_EACH) requests.shift()
    this.#accounts.delete(account)
    this.#accounts.set(account, requests)
    const [quietest] = this.#accounts.keys()
    if (this.#accounts.size > MOST_ACCOUNTS) this.#accounts.delete(quietest!)
  }

  /** The last 50 at most, newest first; none where 1,000 other accounts were busy since. */
  list(account: string): readonly RecentRequest[] {
    return [...(this.#accounts.get(account) ?? [])].reverse()
  }
}
