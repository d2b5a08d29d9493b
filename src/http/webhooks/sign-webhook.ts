import { createHmac } from 'node:crypto'
import { InvalidRequestError } from '../../errors/index.ts'

const PREFIX = 'whsec_'
const LEAST_BYTES = 24
const MOST_BYTES = 64
const ENVIRONMENT = 'TESSERA_WEBHOOK_SECRET'

/**
 * The secrets of the environment, for a server that is given none.
 *
 * @throws InvalidRequestError by the name of the variable, which whoever set it knows
 */
export function secretsOfEnvironment(): string | undefined {
  const text = process.env[ENVIRONMENT]
  if (text !== undefined) readSecrets(text, ENVIRONMENT)
  return text
}

/**
 * Reads secrets as Standard Webhooks write them, separated by commas.
 *
 * @throws InvalidRequestError for what is none; never shows it
 */
export function readSecrets(text: string, name = 'webhooks.secret'): Buffer[] {
  return text.split(',').map((part) => {
    const [, base64] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(part.trim()) ?? []
    const secret = Buffer.from(base64 ?? '', 'base64')
    if (base64 !== undefined && secret.length >= LEAST_BYTES && secret.length <= MOST_BYTES) return secret
    const help = `make one: node -p "'whsec_' + crypto.randomBytes(32).toString('base64')"`
    throw new InvalidRequestError(
      name,
      `must be ${PREFIX} and base64 of ${LEAST_BYTES} to ${MOST_BYTES} bytes, separated by commas (${help})`,
    )
  })
}

/** The secret of an account: whoever knows that of one can sign for no other. */
export function secretOf(secret: Buffer, account: string): Buffer {
  return createHmac('sha256', secret).update(`account:${account}`).digest()
}

export function writeSecret(secret: Buffer): string {
  return `${PREFIX}${secret.toString('base64')}`
}

/** Header `webhook-signature` of Standard Webhooks, with a signature of each secret. */
export function signWebhook(secrets: readonly Buffer[], id: string, timestamp: string, body: string): string {
  const sign = (secret: Buffer) => createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64')
  return secrets.map((secret) => `v1,${sign(secret)}`).join(' ')
}
