import * as z from 'zod'
import { flag, optionTable } from '../../options/index.ts'

/** How webhooks are sent. */
export interface WebhookOptions {
  /**
   * Secrets as Standard Webhooks write them (`whsec_` and base64), separated by commas: all sign, so that a new one is put in front while receivers
   * know the old one. Each account signs with a secret made from it. Default: the variable `TESSERA_WEBHOOK_SECRET`; without it there are no webhooks.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, webhooks: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYqr' } })
   * ```
   */
  readonly secret?: string | undefined
  /**
   * Sends webhooks also to private addresses, to this machine, and without TLS; default false.
   *
   * @example
   * ```ts
   * const server = createServer({ engine, webhooks: { allowPrivate: true } })
   * ```
   */
  readonly allowPrivate?: boolean | undefined
}

/** Secrets are not shown. */
const SECRET = z.custom<string>(
  (value) => typeof value === 'string' && value !== '',
  'must be a text that is not empty',
)

export const WEBHOOKS = optionTable('`webhooks`', {
  secret: SECRET.optional(),
  allowPrivate: flag.optional(),
} satisfies Record<keyof WebhookOptions, unknown>)
