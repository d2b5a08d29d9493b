import { RateLimiterRedis } from 'rate-limiter-flexible'
import { InvalidRequestError } from '../../errors/index.ts'
import { createRequestCounter } from '../limits/count-requests.ts'
import type { UsageStore } from './usage-store.ts'

const PREFIX = 'tessera:account:'

/** Sets a document only where it still is what it was when it was read. A missing one reads as ''. */
const REPLACE_IF_UNCHANGED = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`

const LONGEST_PAUSE_MS = 2000

/**
 * Accounts and rate limits on a Redis server, shared by every process that uses it. Needs the package `@redis/client`.
 *
 * @param url Such as `redis://user:password@host:6379`; `rediss:` for TLS.
 * @throws InvalidRequestError where the package is missing or the server does not answer; never shows the password
 */
export async function openRedisStore(url: string): Promise<UsageStore> {
  const client = await connect(url)
  return {
    read: async (account) => (await client.get(PREFIX + account)) ?? undefined,
    async update(account, change) {
      const key = PREFIX + account
      for (let replaced: unknown = 0; replaced !== 1;) {
        const document = await client.get(key)
        // One of those that try at the same time always gets through, so this ends.
        replaced = await client.eval(REPLACE_IF_UNCHANGED, {
          keys: [key],
          arguments: [document ?? '', change(document ?? undefined)],
        })
      }
    },
    countRequest: createRequestCounter(
      (settings) => new RateLimiterRedis({ ...settings, storeClient: client, useRedisPackage: true }),
    ),
    async close() {
      if (client.isOpen) await client.close()
    },
  }
}

async function connect(url: string) {
  const { createClient } = await import('@redis/client').catch((cause: unknown) => {
    throw new InvalidRequestError('store', 'Redis needs the package @redis/client: npm install @redis/client', {
      cause,
    })
  })
  const opening = { done: false }
  // While opening, the first failure counts; later ones are waited out, as the server may only be restarting.
  const reconnectStrategy = (retries: number, cause: Error) =>
    opening.done ? Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS) : cause
  try {
    const client = createClient({ url, socket: { reconnectStrategy } })
    // Without a listener an error ends the process; the commands that fail throw it as well.
    client.on('error', () => {})
    await client.connect()
    opening.done = true
    return client
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    // Without the cause, which may hold the URL with its password.
    throw new InvalidRequestError('store', `the Redis server could not be reached (${code ?? message})`)
  }
}
