import { InvalidRequestError } from '../../errors/index.ts'
import type { RedisClient } from '../../redis/connect-redis.ts'
import { refusalWord } from '../../redis/refusal-word.ts'

/** Lines of INFO, which managed servers allow too, with what balances need and how it is set. */
const NEEDED = [
  { section: 'persistence', name: 'aof_enabled', value: '1', setting: 'appendonly yes' },
  { section: 'memory', name: 'maxmemory_policy', value: 'noeviction', setting: 'maxmemory-policy noeviction' },
] as const

/**
 * Refuses a server that would forget balances when it restarts, or when its memory is full.
 *
 * @throws InvalidRequestError naming the settings, or the right that is missing to read them
 */
export async function requireDurable(client: RedisClient): Promise<void> {
  const missing: string[] = []
  for (const { section, name, value, setting } of NEEDED) {
    const [, found] = new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(await readInfo(client, section)) ?? []
    if (found !== value) missing.push(`${setting} (${name} is ${found ?? 'not shown'})`)
  }
  if (missing.length === 0) return
  await client.close()
  throw new InvalidRequestError(
    'store',
    `the Redis server would lose balances; set ${missing.join(' and ')}, or accept the loss (acceptLoss, --accept-loss)`,
  )
}

async function readInfo(client: RedisClient, section: string): Promise<string> {
  try {
    return await client.info(section)
  } catch (error) {
    // It would stay open, and keep the process alive.
    client.destroy()
    if (!(error instanceof Error) || refusalWord(error) !== 'NOPERM') throw error
    const needed = 'let its user run INFO, or accept a loss (acceptLoss, --accept-loss)'
    throw new InvalidRequestError(
      'store',
      `the Redis server does not say how it keeps balances (${error.message}); ${needed}`,
    )
  }
}
