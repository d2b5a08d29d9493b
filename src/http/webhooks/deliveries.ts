import type { EndedJob } from './kept-webhooks.ts'
import type { WebhookSender } from './webhook-sender.ts'

/** Webhooks on their way. */
export interface Deliveries {
  /** Sends the webhook of a job that is over; tried again where it does not arrive. */
  deliver(job: EndedJob): void
  /** Ends the tries of this process. */
  close(): Promise<void>
}

export interface DeliveryParts {
  readonly sender: WebhookSender
  /** Waits between tries. */
  readonly delaysMs: readonly number[]
  /** Called when a webhook was delivered, or will not be. */
  readonly onEnded: (outcome: 'delivered' | 'failed') => void
}

/** How long a receiver may take to answer. */
export const TRY_MS = 15_000

/** The same while the process ends. */
export const LAST_TRY_MS = 3000
