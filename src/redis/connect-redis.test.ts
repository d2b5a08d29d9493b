import { expect, it } from 'vitest'
import { hasRedis, startRedis } from '../../test/helpers/redis-server.ts'
import { connectRedis } from './connect-redis.ts'

it.skipIf(!hasRedis())('what was made of a connection ends with it, also while the server is away', async () => {
  const redis = await startRedis()
  const client = await connectRedis(redis.url)
  const duplicate = client.duplicate().on('error', () => {})
  await duplicate.connect()
  await redis.stop()
  client.destroy()
  // Reconnecting for ever would keep a process alive that was told to end.
  await expect.poll(() => duplicate.isOpen, { timeout: 10_000 }).toBe(false)
})
