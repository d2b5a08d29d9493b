import { expect, it } from 'vitest'
import { hasRedis, startRedis } from '../../test/helpers/redis-server.ts'
import { openJobStore } from './index.ts'

it.skipIf(!hasRedis()).each([
  [
    'volatile-lru',
    [/^connection: the Redis server loses jobs .* \(maxmemory_policy is volatile-lru\); set .* noeviction$/],
  ],
  ['noeviction', []],
])('a server with maxmemory-policy %s is told of where it loses jobs', async (policy, told) => {
  const redis = await startRedis(['--maxmemory-policy', policy])
  const warnings: string[] = []
  const hear = ({ name, message }: Error) => name === 'TesseraRedisWarning' && void warnings.push(message)
  process.on('warning', hear)
  const store = await openJobStore({ connection: redis.url, plaintext: true })
  // Answered behind what it asks as it opens.
  await store.list('me')
  await new Promise((resolve) => setImmediate(resolve))
  expect(warnings).toEqual(told.map((pattern) => expect.stringMatching(pattern)))
  process.off('warning', hear)
  await store.close()
  await redis.stop()
})
