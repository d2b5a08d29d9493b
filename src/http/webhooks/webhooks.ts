import { setTimeout as sleep } from 'node:timers/promises'
import { isOver, type Job } from '../jobs/job.ts'
import { Refusal } from '../refusal.ts'
import { postWebhook, PrivateAddressError } from './post-webhook.ts'
import { readSecrets, secretOf, signWebhook, writeSecret } from './sign-webhook.ts'
import type { WebhookOptions } from './webhook-options.ts'

/** Where a request for a job names the address that is told of its end. */
export const WEBHOOK_HEADER = 'tessera-webhook'

export interface WebhooksParts extends WebhookOptions {
  /** Called when a webhook was delivered, or will not be. */
  readonly onEnded: (outcome: 'delivered' | 'failed') => void
  /** Waits between tries. */
  readonly delaysMs?: readonly number[]
}

const DELAYS_MS = [5000, 30_000, 120_000, 600_000, 1_800_000]
const TRY_MS = 15_000
const LAST_TRY_MS = 3000
const LONGEST_URL = 2048
/** A receiver that says so wants no more of them. */
const GONE = 410

/** Tells receivers that jobs are over: which, and how, and nothing of what they answered. */
export class Webhooks {
  readonly #secrets: readonly Buffer[]
  readonly #allowsPrivate: boolean
  readonly #delaysMs: readonly number[]
  readonly #onEnded: WebhooksParts['onEnded']
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()

  /** @throws InvalidRequestError for a secret that is none */
  constructor({ secret, allowPrivate = false, onEnded, delaysMs = DELAYS_MS }: WebhooksParts) {
    this.#secrets = secret === undefined ? [] : readSecrets(secret)
    this.#allowsPrivate = allowPrivate
    this.#delaysMs = delaysMs
    this.#onEnded = onEnded
  }

  /** What the webhooks of an account are signed with, the newest first. */
  secretsOf(account: string): string[] {
    return this.#secrets.map((secret) => writeSecret(secretOf(secret, account)))
  }

  /**
   * Checks the address that a request names, before there is a job. Whether its name stands for a public address is known when it is sent.
   *
   * @throws Refusal (400)
   */
  check(address: string): void {
    if (this.#secrets.length === 0) throw refuse('this server sends no webhooks: it has no secret to sign them with')
    if (address.length > LONGEST_URL || !URL.canParse(address)) {
      throw refuse(`must be a URL of at most ${LONGEST_URL} characters`)
    }
    const { protocol, username, password } = new URL(address)
    const isKnown = protocol === 'https:' || (protocol === 'http:' && this.#allowsPrivate)
    if (!isKnown) throw refuse('must be an https: URL')
    if (username !== '' || password !== '') throw refuse('must not have a user or a password in it')
  }

  /** Sends the webhook of a job that is over, where it asked for one; tried again where it does not arrive. */
  deliver(job: Job): void {
    if (job.webhook === undefined || !isOver(job) || this.#secrets.length === 0) return
    const delivery = this.#deliver(job, job.webhook)
      .catch(() => false)
      .then((isDelivered) => this.#onEnded(isDelivered ? 'delivered' : 'failed'))
      .finally(() => this.#running.delete(delivery))
    this.#running.add(delivery)
  }

  /** Tries once more what waits for its next try. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all(this.#running)
  }

  /** @returns whether it arrived */
  async #deliver(job: Job, url: string): Promise<boolean> {
    // The same for each try, by which a receiver knows those that came before.
    const id = `msg_${job.id.slice('job_'.length)}_${job.endedAt}`
    const body = describe(job)
    for (const delay of [...this.#delaysMs, undefined]) {
      const isLast = this.#closing.signal.aborted
      const status = await this.#send(job.account, { url, id, body }, isLast ? LAST_TRY_MS : TRY_MS)
      if (status !== undefined && status >= 200 && status < 300) return true
      if (status === GONE || isLast || delay === undefined) return false
      await sleep(delay, undefined, { signal: this.#closing.signal, ref: false }).catch(() => {})
    }
    return false
  }

  /** @returns undefined where there was no answer */
  async #send(account: string, { url, id, body }: Message, milliseconds: number): Promise<number | undefined> {
    const timestamp = String(Math.floor(Date.now() / 1000))
    const secrets = this.#secrets.map((secret) => secretOf(secret, account))
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'tessera',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': signWebhook(secrets, id, timestamp, body),
    }
    const signal = AbortSignal.timeout(milliseconds)
    try {
      return await postWebhook({ url, headers, body, signal, allowsPrivate: this.#allowsPrivate })
    } catch (error) {
      // A name that is private now is not tried until it is not.
      return error instanceof PrivateAddressError ? GONE : undefined
    }
  }
}

interface Message {
  readonly url: string
  readonly id: string
  readonly body: string
}

function describe({ id, status, path, endedAt, counts }: Job): string {
  const data = { id, status, path, location: `/v1/jobs/${id}`, ...(counts && { counts }) }
  return JSON.stringify({ type: `job.${status}`, timestamp: new Date(endedAt!).toISOString(), data })
}

function refuse(reason: string): Refusal {
  return new Refusal(400, 'invalid_request', `${WEBHOOK_HEADER}: ${reason}`)
}
