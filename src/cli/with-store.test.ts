import { expect, it, onTestFinished } from 'vitest'
import { hasRedis, startRedis } from '../../test/helpers/redis-server.ts'
import { StoreUnavailableError } from '../errors/index.ts'
import { withStore } from './with-store.ts'

it.skipIf(!hasRedis())('a Redis server that freezes after it was connected to holds no command', async () => {
  const redis = await startRedis()
  onTestFinished(() => redis.stop())
  const reading = withStore(redis.url, false, (store) => {
    redis.freeze()
    return store.read('key')
  })
  await expect(reading).rejects.toThrow(StoreUnavailableError)
})

it.skipIf(!hasRedis())('a Redis server that refuses to write is told of in its words', async () => {
  const redis = await startRedis(['--appendonly', 'yes', '--min-replicas-to-write', '1'])
  onTestFinished(() => redis.stop())
  const writing = withStore(redis.url, false, (store) => store.update('key', () => 'document'))
  await expect(writing).rejects.toThrow(/^the store failed \(NOREPLICAS .*\); try again when that is mended$/)
  await expect(writing).rejects.toThrow(StoreUnavailableError)
})
