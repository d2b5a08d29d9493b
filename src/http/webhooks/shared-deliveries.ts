import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Deliveries, type DeliveryParts, LAST_TRY_MS, TRY_MS } from './deliveries.ts'
import type { EndedJob, KeptWebhook, KeptWebhooks } from './kept-webhooks.ts'
import { SlowReceivers } from './slow-receivers.ts'
import type { TryOutcome } from './webhook-sender.ts'

const LOOK_EVERY_MS = 1000
/** A process that has not said by then what came of its try has died. */
const LEASE_MS = TRY_MS + 5000
/** A receiver that does not answer has a connection for as long as a try. */
const MOST_AT_ONCE = 256
/** What is not told to the store by then is tried again when the lease is over. */
const LEAVE_MS = 2000

/** Webhooks that several processes share: whichever looks first when a try is due makes it, so each arrives at least once. */
export class SharedDeliveries implements Deliveries {
  readonly #parts: DeliveryParts
  readonly #kept: KeptWebhooks
  readonly #timer: NodeJS.Timeout
  readonly #stopping = new AbortController()
  readonly #slow = new SlowReceivers()
  readonly #trying = new Set<Promise<void>>()
  #looking: Promise<void> | undefined
  #isAskedAgain = false
  #isClosed = false

  constructor(parts: DeliveryParts, kept: KeptWebhooks) {
    this.#parts = parts
    this.#kept = kept
    // One for each try.
    setMaxListeners(0, this.#stopping.signal)
    this.#timer = setInterval(() => this.deliver(), LOOK_EVERY_MS).unref()
  }

  /** Looks for what is due, as the webhook of a job that was just kept with its end. */
  deliver(): void {
    this.#isAskedAgain = this.#looking !== undefined
    if (this.#isClosed || this.#looking) return
    // A store that is away is asked again by the timer.
    this.#looking = this.#take()
      .catch(() => {})
      .finally(() => {
        this.#looking = undefined
        if (this.#isAskedAgain) this.deliver()
      })
  }

  /** Gives running tries a moment, and leaves the rest to other processes at once. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    const timer = setTimeout(() => this.#stopping.abort(), LAST_TRY_MS)
    const end = async () => {
      await this.#looking
      await Promise.all(this.#trying)
    }
    await Promise.race([end(), sleep(LAST_TRY_MS + LEAVE_MS, undefined, { ref: false })])
    clearTimeout(timer)
  }

  async #take(): Promise<void> {
    for (let isLookedAgain = true; isLookedAgain && !this.#isClosed;) {
      const room = MOST_AT_ONCE - this.#trying.size
      if (room === 0) return
      const putBack: Promise<void>[] = []
      for (const webhook of await this.#kept.take(room, LEASE_MS)) {
        if (this.#slow.isFull(webhook.job)) putBack.push(this.#putOff(webhook))
        else this.#start(webhook)
      }
      await Promise.all(putBack)
      // Behind those that were put back there may be others that are due.
      isLookedAgain = putBack.length > 0
    }
  }

  #putOff(webhook: KeptWebhook): Promise<void> {
    return this.#kept.leave(webhook, this.#slow.mayGoSoon(webhook.job) ? LOOK_EVERY_MS : putOffMs())
  }

  #start(webhook: KeptWebhook): void {
    // Where the store cannot be told what came of it, it is tried again when the lease is over.
    const trying = this.#try(webhook)
      .catch(() => {})
      .finally(() => this.#trying.delete(trying))
    this.#trying.add(trying)
  }

  async #try({ job, tries }: KeptWebhook): Promise<void> {
    const { delaysMs, onEnded } = this.#parts
    const outcome = await this.#slow.during(job, () => this.#send(job))
    const delay = delaysMs[tries]
    if (outcome === 'failed' && this.#stopping.signal.aborted) return this.#kept.leave({ job, tries }, 0)
    if (outcome === 'failed' && delay !== undefined) return this.#kept.leave({ job, tries: tries + 1 }, delay)
    await this.#kept.forget({ job, tries })
    onEnded(outcome === 'delivered' ? 'delivered' : 'failed')
  }

  /**
   * Sends one, for as long as a try may take. The timer is held here: a time-out that nothing but a composed signal knows is
   * collected as garbage in Node 20, and the try would never end.
   */
  async #send(job: EndedJob): Promise<TryOutcome> {
    const ending = new AbortController()
    const end = () => ending.abort()
    const timer = setTimeout(end, TRY_MS).unref()
    const stop = this.#stopping.signal
    stop.addEventListener('abort', end)
    if (stop.aborted) end()
    try {
      return await this.#parts.sender.send(job, ending.signal)
    } finally {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
    }
  }
}

/** For at most as long as a try. All at once would come when places are taken still, or have been free for long. */
function putOffMs(): number {
  return Math.round(LOOK_EVERY_MS + Math.random() * (TRY_MS - LOOK_EVERY_MS))
}
