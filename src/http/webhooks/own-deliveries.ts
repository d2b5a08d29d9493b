import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Tally } from '../tally.ts'
import { type Deliveries, type DeliveryParts, LAST_TRY_MS, TRY_MS } from './deliveries.ts'
import type { EndedJob } from './kept-webhooks.ts'

/** Webhooks of one account on their way: its receiver may answer none of them for 42 minutes. */
const MOST_EACH = 1000

/** Webhooks that this process alone knows of, gone with it. */
export class OwnDeliveries implements Deliveries {
  readonly #parts: DeliveryParts
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()
  /** How many of them an account has. */
  readonly #counts = new Tally()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
    // One for each webhook that waits for its next try.
    setMaxListeners(0, this.#closing.signal)
  }

  deliver(job: EndedJob): void {
    const { account, id } = job
    if (this.#counts.of(account) >= MOST_EACH) {
      this.#parts.onEnded('failed')
      const message = `the webhook of ${id} is not sent: ${MOST_EACH} others of the account "${account}" wait for their receiver`
      return process.emitWarning(message, 'TesseraWebhookWarning')
    }
    this.#counts.add(account, 1)
    const delivery = this.#deliver(job)
      .then((isDelivered) => this.#parts.onEnded(isDelivered ? 'delivered' : 'failed'))
      .finally(() => this.#forget(account, delivery))
    this.#running.add(delivery)
  }

  /** Tries once more what waits for its next try. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running)
  }

  #forget(account: string, delivery: Promise<void>): void {
    this.#running.delete(delivery)
    this.#counts.add(account, -1)
  }

  /** @returns whether it arrived */
  async #deliver(job: EndedJob): Promise<boolean> {
    const { sender, delaysMs } = this.#parts
    for (const delay of [...delaysMs, undefined]) {
      const isLast = this.#closing.signal.aborted
      const outcome = await sender.send(job, AbortSignal.timeout(isLast ? LAST_TRY_MS : TRY_MS))
      if (outcome !== 'failed' || isLast || delay === undefined) return outcome === 'delivered'
      await sleep(delay, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
    }
    return false
  }
}
