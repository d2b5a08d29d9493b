import { setTimeout as sleep } from 'node:timers/promises'
import type { Job } from '../jobs/job.ts'
import { type Deliveries, type DeliveryParts, LAST_TRY_MS, TRY_MS } from './deliveries.ts'

/** Webhooks that this process alone knows of, gone with it. */
export class OwnDeliveries implements Deliveries {
  readonly #parts: DeliveryParts
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()

  constructor(parts: DeliveryParts) {
    this.#parts = parts
  }

  deliver(job: Job): void {
    const delivery = this.#deliver(job)
      .then((isDelivered) => this.#parts.onEnded(isDelivered ? 'delivered' : 'failed'))
      .finally(() => this.#running.delete(delivery))
    this.#running.add(delivery)
  }

  /** Tries once more what waits for its next try. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running)
  }

  /** @returns whether it arrived */
  async #deliver(job: Job): Promise<boolean> {
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
