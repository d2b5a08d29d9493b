import { Refusal } from '../refusal.ts'
import type { EndedJob } from './kept-webhooks.ts'
import { PrivateAddressError } from './lookup-public.ts'
import { postWebhook } from './post-webhook.ts'
import { isPrivateHost } from './public-address.ts'
import { readSecrets, secretOf, signWebhook, writeSecret } from './sign-webhook.ts'
import type { WebhookOptions } from './webhook-options.ts'

/** Where a request for a job names the address that is told of its end. */
export const WEBHOOK_HEADER = 'tessera-webhook'

/** What came of a try; what is refused is not tried again. */
export type TryOutcome = 'delivered' | 'failed' | 'refused'

const LONGEST_URL = 2048
/** A receiver that says so wants no more of them. */
const GONE = 410

/** Signs webhooks and sends them: which job is over, and how, and nothing of what it answered. */
export class WebhookSender {
  readonly #secrets: readonly Buffer[]
  readonly #allowsPrivate: boolean

  /** @throws InvalidRequestError for a secret that is none */
  constructor({ secret, allowPrivate = false }: WebhookOptions) {
    this.#secrets = secret === undefined ? [] : readSecrets(secret)
    this.#allowsPrivate = allowPrivate
  }

  /** Whether there is a secret to sign with. */
  get canSign(): boolean {
    return this.#secrets.length > 0
  }

  /** What the webhooks of an account are signed with, the newest first. */
  secretsOf(account: string): string[] {
    return this.#secrets.map((secret) => writeSecret(secretOf(secret, account)))
  }

  /**
   * Checks an address. Whether a name stands for a public one is known when it is sent.
   *
   * @throws Refusal (400)
   */
  check(address: string): void {
    if (!this.canSign) throw refuse('this server sends no webhooks: it has no secret to sign them with')
    if (address.length > LONGEST_URL || !URL.canParse(address)) {
      throw refuse(`must be a URL of at most ${LONGEST_URL} characters`)
    }
    const { protocol, hostname, username, password } = new URL(address)
    const isKnown = protocol === 'https:' || (protocol === 'http:' && this.#allowsPrivate)
    if (!isKnown) throw refuse('must be an https: URL')
    if (username !== '' || password !== '') throw refuse('must not have a user or a password in it')
    if (!this.#allowsPrivate && isPrivateHost(hostname)) throw refuse('must not be a private address')
  }

  /** Tells the address of a job that it is over, once. */
  async send(job: EndedJob, signal: AbortSignal): Promise<TryOutcome> {
    const { account, webhook: url = '' } = job
    try {
      // The process that took the request may have had other rules.
      this.check(url)
      const [id, body] = [nameOf(job), describe(job)]
      const timestamp = String(Math.floor(Date.now() / 1000))
      const secrets = this.#secrets.map((secret) => secretOf(secret, account))
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'tessera',
        'webhook-id': id,
        'webhook-timestamp': timestamp,
        'webhook-signature': signWebhook(secrets, id, timestamp, body),
      }
      const status = await postWebhook({ url, headers, body, signal, allowsPrivate: this.#allowsPrivate })
      if (status >= 200 && status < 300) return 'delivered'
      return status === GONE ? 'refused' : 'failed'
    } catch (error) {
      // A name that is private now is not tried until it is not.
      return error instanceof PrivateAddressError || error instanceof Refusal ? 'refused' : 'failed'
    }
  }
}

/**
 * The same for each try of each process, by which a receiver knows those that came before. A job of the same
 * `Idempotency-Key` that begins after one was removed has its id, and another time.
 */
function nameOf({ id, createdAt }: EndedJob): string {
  return `msg_${id.slice('job_'.length)}_${createdAt}`
}

function describe({ id, status, path, endedAt, counts }: EndedJob): string {
  const data = { id, status, path, location: `/v1/jobs/${id}`, ...(counts && { counts }) }
  return JSON.stringify({ type: `job.${status}`, timestamp: new Date(endedAt!).toISOString(), data })
}

function refuse(reason: string): Refusal {
  return new Refusal(400, 'invalid_request', `${WEBHOOK_HEADER}: ${reason}`)
}
