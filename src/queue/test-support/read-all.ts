import { connectRedis } from '../../redis/connect-redis.ts'

/** Everything that a server holds, as text. */
export async function readAll(url: string): Promise<string> {
  const client = await connectRedis(url)
  try {
    const texts: string[] = []
    for (const key of await client.keys('*')) {
      const type = await client.type(key)
      if (type === 'string') texts.push(String(await client.get(key)))
      else if (type === 'hash') texts.push(JSON.stringify(await client.hGetAll(key)))
      else if (type === 'stream') texts.push(JSON.stringify(await client.xRange(key, '-', '+')))
      else if (type === 'zset') texts.push((await client.zRange(key, 0, -1)).join(' '))
      else if (type === 'set') texts.push((await client.sMembers(key)).join(' '))
      else if (type === 'list') texts.push((await client.lRange(key, 0, -1)).join(' '))
      texts.push(key)
    }
    return texts.join('\n')
  } finally {
    client.destroy()
  }
}
