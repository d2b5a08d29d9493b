import { isOver, type Job } from '../jobs/job.ts'
import type { Deliveries, DeliveryParts } from './deliveries.ts'
import { describeEnd, type KeptWebhooks } from './kept-webhooks.ts'
import { OwnDeliveries } from './own-deliveries.ts'
import { SharedDeliveries } from './shared-deliveries.ts'
import type { WebhookOptions } from './webhook-options.ts'
import { WebhookSender } from './webhook-sender.ts'

export interface WebhooksParts extends WebhookOptions, Pick<DeliveryParts, 'onEnded'> {
  /** Waits between tries. */
  readonly delaysMs?: readonly number[]
  /** Where they are kept with the jobs of several processes. */
  readonly kept?: KeptWebhooks | undefined
}

const DELAYS_MS = [5000, 30_000, 120_000, 600_000, 1_800_000]

/** Tells receivers that jobs are over. */
export class Webhooks {
  readonly #sender: WebhookSender
  readonly #deliveries: Deliveries | undefined

  /** @throws InvalidRequestError for a secret that is none */
  constructor({ onEnded, kept, delaysMs = DELAYS_MS, ...options }: WebhooksParts) {
    const sender = new WebhookSender(options)
    this.#sender = sender
    const parts = { sender, delaysMs, onEnded }
    // What cannot be signed here is left to those that can.
    if (sender.canSign) this.#deliveries = kept ? new SharedDeliveries(parts, kept) : new OwnDeliveries(parts)
  }

  /** What the webhooks of an account are signed with, the newest first. */
  secretsOf(account: string): string[] {
    return this.#sender.secretsOf(account)
  }

  /**
   * Checks the address that a request names, before there is a job. Whether its name stands for a public address is known when it is sent.
   *
   * @throws Refusal (400)
   */
  check(address: string): void {
    this.#sender.check(address)
  }

  /** Sends the webhook of a job that is over, where it asked for one; tried again where it does not arrive. */
  deliver(job: Job): void {
    if (job.webhook !== undefined && isOver(job)) this.#deliveries?.deliver(describeEnd(job))
  }

  /** Ends the tries of this process: its own are made once more, those that are shared are left to the others. */
  async close(): Promise<void> {
    await this.#deliveries?.close()
  }
}
