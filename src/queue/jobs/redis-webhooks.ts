import type { EndedJob, Job, KeptWebhook, KeptWebhooks } from '../../http/index.ts'
import { describeEnd } from '../../http/webhooks/kept-webhooks.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { webhookKey, WEBHOOKS_KEY } from '../queue-names.ts'
import type { Sealer } from '../sealer.ts'
import { LEAVE_WEBHOOK, TAKE_WEBHOOKS } from './job-scripts.ts'

/** One that no process can sign or open is forgotten then. */
export const WEBHOOK_KEPT_MS = 7 * 24 * 3600 * 1000

/** Webhooks on a Redis server, sealed, with the time of the next try of each. */
export class RedisWebhooks implements KeptWebhooks {
  readonly #client: RedisClient
  readonly #sealer: Sealer

  constructor(client: RedisClient, sealer: Sealer) {
    this.#client = client
    this.#sealer = sealer
  }

  /** What a job that is over is kept with: a name, and what is sealed. Undefined where nobody asked for a webhook. */
  describe(job: Job): { id: string; sealed: string } | undefined {
    if (job.webhook === undefined) return undefined
    return { id: nameOf(job), sealed: this.#seal({ job: describeEnd(job), tries: 0 }) }
  }

  async take(most: number, leaseMs: number): Promise<KeptWebhook[]> {
    const call = { keys: [WEBHOOKS_KEY], arguments: [String(most), String(leaseMs)] }
    const taken = (await this.#client.eval(TAKE_WEBHOOKS, call)) as string[]
    const webhooks: KeptWebhook[] = []
    for (let index = 0; index < taken.length; index += 2) {
      const webhook = this.#open(taken[index + 1]!, taken[index]!)
      if (webhook) webhooks.push(webhook)
    }
    return webhooks
  }

  leave(webhook: KeptWebhook, waitMs: number): Promise<void> {
    const id = nameOf(webhook.job)
    const call = {
      keys: [WEBHOOKS_KEY, webhookKey(id)],
      arguments: [id, this.#seal(webhook), String(WEBHOOK_KEPT_MS), String(waitMs)],
    }
    return again(async () => void (await this.#client.eval(LEAVE_WEBHOOK, call)))
  }

  forget({ job }: KeptWebhook): Promise<void> {
    const id = nameOf(job)
    // No transaction, which a server whose memory is full takes nothing into. What is named alone is forgotten as it is looked for.
    return again(async () => {
      await this.#client.del(webhookKey(id))
      await this.#client.zRem(WEBHOOKS_KEY, id)
    })
  }

  #seal(webhook: KeptWebhook): string {
    return this.#sealer.seal(JSON.stringify(webhook), `webhook ${nameOf(webhook.job)}`)
  }

  /** One that is sealed with a key that is not known here is left to a process that knows it. */
  #open(sealed: string, id: string): KeptWebhook | undefined {
    try {
      return JSON.parse(this.#sealer.open(sealed, `webhook ${id}`)) as KeptWebhook
    } catch {
      return undefined
    }
  }
}

/** A job of the same `Idempotency-Key` that begins after one was removed has its id. */
function nameOf({ id, createdAt }: EndedJob): string {
  return `${id}:${createdAt}`
}

/** A command that breaks off with the connection is not sent again by itself; one that is given while there is none waits for it. */
function again<Result>(work: () => Promise<Result>): Promise<Result> {
  return work().catch(work)
}
