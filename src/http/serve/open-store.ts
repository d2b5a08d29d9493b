import { InvalidRequestError } from '../../errors/index.ts'
import { createMemoryStore } from '../usage/memory-store.ts'
import { openRedisStore, type RedisStoreOptions } from '../usage/redis-store.ts'
import { openSqliteStore } from '../usage/sqlite-store.ts'
import type { UsageStore } from '../usage/usage-store.ts'

/**
 * The store that `--store` names: `memory`, a Redis URL, or the path of an SQLite file.
 *
 * @throws InvalidRequestError for anything else, or a file that cannot be opened
 */
export async function openStore(name: string, options: RedisStoreOptions = {}): Promise<UsageStore> {
  if (name === 'memory') return createMemoryStore()
  if (/^rediss?:\/\//.test(name)) return openRedisStore(name, options)
  if (name === '' || /^[a-z][a-z\d+.-]+:\/\//i.test(name)) {
    throw new InvalidRequestError('store', 'must be "memory", a redis: URL or the path of an SQLite file')
  }
  return openSqliteStore(name)
}
