import { InvalidRequestError } from '../errors/index.ts'

const LONGEST_PAUSE_MS = 2000

export type RedisClient = Awaited<ReturnType<typeof connectRedis>>

/**
 * A connection that comes back by itself after the server was away.
 *
 * @param option whose URL it is
 * @throws InvalidRequestError where the server does not answer; never shows the password
 */
export async function connectRedis(url: string, option = 'store') {
  // Read by those alone who have such a server.
  const { createClient } = await import('@redis/client')
  const life = { opened: false, ended: false }
  // While opening, the first failure counts; later ones are waited out, as the server may only be restarting. Duplicates of the
  // connection, as the queue makes them, have the same strategy, and end with it.
  const reconnectStrategy = (retries: number, cause: Error) =>
    life.opened ? !life.ended && Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS) : cause
  try {
    const client = createClient({ url, socket: { reconnectStrategy } })
    // Without a listener an error ends the process; the commands that fail throw it as well.
    client.on('error', () => {})
    client.on('end', () => (life.ended = true))
    await client.connect()
    life.opened = true
    return client
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    // The cause is left out, as it may hold the URL with its password.
    throw new InvalidRequestError(option, `the Redis server could not be reached (${code ?? message})`)
  }
}
