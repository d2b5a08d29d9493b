import { setTimeout as sleep } from 'node:timers/promises'
import { answerInTime } from '../../redis/answer-in-time.ts'
import { connectRedis, type RedisClient } from '../../redis/connect-redis.ts'
import { createRequestCounter } from '../limits/count-requests.ts'
import { ChangesTogether, type MakeChanges } from './changes-together.ts'
import { requireDurable } from './redis-durability.ts'
import type { StoredDocument, UsageStore } from './usage-store.ts'

const PREFIX = 'tessera:'

/** A document and the clock of the server, in seconds and microseconds. */
const READ = `
local time = redis.call('TIME')
return {redis.call('GET', KEYS[1]), time[1], time[2]}`

/**
 * Sets a document only where it still is what it was when it was read. A missing one reads as '', and one set to '' is
 * removed.
 */
const REPLACE_IF_UNCHANGED = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
if ARGV[2] == '' then redis.call('DEL', KEYS[1])
elseif ARGV[3] == '' then redis.call('SET', KEYS[1], ARGV[2])
else redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3]) end
return 1`

/**
 * Counts requests or tokens where as many may still come in the minute, and says how many there are then, those that are refused included. Given back
 * by a command of their own, they would leave less than nothing where the minute has ended meanwhile, and the next one would have no limit.
 */
const COUNT_WHAT_FITS = `
local count = tonumber(redis.call('GET', KEYS[1]) or '0') + tonumber(ARGV[1])
if count <= tonumber(ARGV[3]) then
  redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
  redis.call('INCRBY', KEYS[1], ARGV[1])
end
return {count, redis.call('PTTL', KEYS[1])}`

/** Of several processes that change a document at once all but one try again, each after another while. */
const LONGEST_PAUSE_MS = 10

/** What `openRedisStore` may be told beside the URL. */
export interface RedisStoreOptions {
  /**
   * Also takes a server whose settings lose balances when it restarts or its memory is full; default false, which
   * refuses one without `appendonly yes` and `maxmemory-policy noeviction`.
   *
   * @example
   * ```ts
   * const store = await openRedisStore('redis://localhost:6379', { acceptLoss: true })
   * ```
   */
  readonly acceptLoss?: boolean | undefined
}

/**
 * Accounts and rate limits on a Redis server, shared by every process that uses it.
 *
 * @example
 * ```ts
 * const store = await openRedisStore('redis://localhost:6379')
 * const server = createServer({ engine, keys: ['a-long-secret'], store })
 * ```
 *
 * @param url Such as `redis://user:password@host:6379`; `rediss:` for TLS.
 * @throws InvalidRequestError where the server does not answer or its settings lose balances;
 * never shows the password
 */
export async function openRedisStore(url: string, { acceptLoss = false }: RedisStoreOptions = {}): Promise<UsageStore> {
  const client = await connectRedis(url)
  if (!acceptLoss) await requireDurable(client)
  // Of those that change a document at once all but one read it for nothing, so this process has one of them at a time.
  const changes = new ChangesTogether((name, make, signal) => replaceDocument(client, PREFIX + name, make, signal))
  return {
    read: (name, signal) => readDocument(client, PREFIX + name, signal),
    update: (...update) => changes.run(...update),
    names: (prefix, signal) => listNames(client, prefix, signal),
    countRequest: createRequestCounter(({ RateLimiterRedis }, settings) => {
      const counting = { storeClient: client, useRedisPackage: true, customIncrTtlLuaScript: COUNT_WHAT_FITS }
      return new RateLimiterRedis({ ...settings, ...counting })
    }, false),
    async close() {
      if (!client.isOpen) return
      // A client whose server is away never says that it has closed. What still waits for an answer then fails.
      await answerInTime(client.close()).catch(() => client.destroy())
    },
  }
}

async function readDocument(client: RedisClient, key: string, signal?: AbortSignal): Promise<StoredDocument> {
  const answer = await withSignal(client, signal).eval(READ, { keys: [key] })
  const [document, seconds, microseconds] = answer as [string | null, string, string]
  return { document: document ?? undefined, now: Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000) }
}

async function replaceDocument(
  client: RedisClient,
  key: string,
  make: MakeChanges,
  signal: AbortSignal,
): Promise<void> {
  // One of the processes that try at the same time always gets through, so this ends.
  for (;;) {
    const { document, now } = await readDocument(client, key, signal)
    signal.throwIfAborted()
    const next = make(document, now)
    if (next.document === document) return
    const replaced = await withSignal(client, signal).eval(REPLACE_IF_UNCHANGED, {
      keys: [key],
      arguments: [document ?? '', next.document ?? '', next.keepMs === undefined ? '' : String(next.keepMs)],
    })
    if (replaced === 1) return
    await sleep(Math.random() * LONGEST_PAUSE_MS, undefined, { signal })
  }
}

/** A name may be told of several times while the server moves its keys. */
async function listNames(client: RedisClient, prefix: string, signal?: AbortSignal): Promise<string[]> {
  const names = new Set<string>()
  const pattern = `${PREFIX}${prefix.replace(/[*?[\]\\^]/g, '\\$&')}*`
  for await (const keys of client.scanIterator({ MATCH: pattern, COUNT: 1000 })) {
    signal?.throwIfAborted()
    for (const key of keys) names.add(key.slice(PREFIX.length))
  }
  return [...names]
}

/** A command that still waits to be sent when the signal fires is never sent. */
function withSignal(client: RedisClient, signal: AbortSignal | undefined) {
  return signal ? client.withAbortSignal(signal) : client
}
