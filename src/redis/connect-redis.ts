import { InvalidRequestError } from '../errors/index.ts'
import { answerInTime } from './answer-in-time.ts'
import { Breaker } from './breaker.ts'
import { refusalWord } from './refusal-word.ts'
import { Outage } from './tell-outage.ts'
import { type Watched, watchServer } from './watch-server.ts'

/** A frozen server takes connections and answers none: whoever asks for one would wait for ever. */
const CONNECT_MS = 5000
const LONGEST_PAUSE_MS = 2000

/** The password of a server whose URL has none: everyone on the machine can read the arguments of a program. */
const PASSWORD = 'TESSERA_REDIS_PASSWORD'

const NO_URL = `must be a URL such as redis://user@host:6379; in a password /, ?, # and % are written as %2F, %3F, %23 and %25, or it is given as ${PASSWORD}`

export type RedisClient = Awaited<ReturnType<typeof connectRedis>>

/**
 * A connection that comes back by itself after the server was away, or another one took its place. Where the URL has no password it is that of the variable
 * `TESSERA_REDIS_PASSWORD`.
 *
 * @param option whose URL it is
 * @param outage tells why the connection does not come back
 * @throws InvalidRequestError where the server does not answer, or is a Sentinel; never shows the password
 */
export async function connectRedis(url: string, option = 'store', outage = new Outage(option)) {
  if (!isRedisUrl(url)) throw new InvalidRequestError(option, NO_URL)
  // Read by those alone who have such a server.
  const { createClient } = await import('@redis/client')
  const opening = { done: false }
  // While opening, the first failure counts; later ones are waited out, as the server may only be restarting.
  const reconnectStrategy = (retries: number, cause: Error) => {
    if (!opening.done) return cause
    outage.failed(retries, cause)
    return Math.min(50 * 2 ** retries, LONGEST_PAUSE_MS)
  }
  try {
    const complete = withPassword(url, process.env[PASSWORD])
    const breaker = new Breaker()
    const socket = { reconnectStrategy, signal: breaker.signal }
    const client = createClient({ url: complete, socket, ...maintenanceOf(complete) })
    // Without a listener an error ends the process; the commands that fail throw it as well.
    client.on('error', () => {})
    client.on('ready', () => outage.ended())
    // Each queue of a front or worker listens to several events of it; from eleven on Node takes them for a leak.
    client.setMaxListeners(0)
    await answerInTime(connect(client, option), CONNECT_MS).catch((error: unknown) => {
      client.destroy()
      throw error
    })
    opening.done = true
    return endingDuplicates(client, breaker)
  } catch (cause) {
    if (InvalidRequestError.isInstance(cause)) throw cause
    const { code, message } = cause as NodeJS.ErrnoException
    // The cause is left out, as it may hold the URL with its password.
    const reason = message.startsWith('NOAUTH') ? `it wants a password: set ${PASSWORD}` : (code ?? message)
    throw new InvalidRequestError(option, `the Redis server could not be reached (${reason})`)
  }
}

/** What queues and stores of jobs call the URL. */
const OF_QUEUE = 'connection'

/**
 * A connection for commands, and one that hears topics, which can do nothing else.
 *
 * @throws InvalidRequestError where the server does not answer, has no room for both, or is in cluster mode
 */
export async function connectPair(url: string): Promise<[client: RedisClient, subscriber: RedisClient]> {
  const outage = new Outage(OF_QUEUE)
  const client = await connectRedis(url, OF_QUEUE, outage)
  try {
    await refuseCluster(client)
    return [client, await connectRedis(url, OF_QUEUE, outage)]
  } catch (error) {
    // It would stay open, and keep the process alive.
    client.destroy()
    throw error
  }
}

/** Scripts of queues and jobs change keys together, which such a server keeps apart. It would answer nothing, and say so of each command alone. */
async function refuseCluster(client: RedisClient): Promise<void> {
  const asking = client.eval('return 1', { keys: ['tessera-queue:1', 'tessera-queue:2'] })
  const word = await answerInTime(asking).then(
    () => undefined,
    (error: Error) => refusalWord(error),
  )
  // All else is told of by what is asked next.
  if (word !== 'CROSSSLOT' && word !== 'MOVED') return
  const reason = `must be a Redis server outside of cluster mode, got one in it (${word}); turn it off, or take another`
  throw new InvalidRequestError(OF_QUEUE, reason)
}

/** @throws InvalidRequestError where a Sentinel answers: it takes connections, and knows nothing of what is asked of a server */
async function connect(client: Connecting, option: string): Promise<void> {
  await client.connect()
  const { mode } = (await client.sendCommand(['HELLO'])) as { readonly mode?: string }
  if (mode !== 'sentinel') return
  const reason =
    'must be a Redis server, got a Sentinel, which keeps nothing; give a name or address that follows the primary'
  throw new InvalidRequestError(option, reason)
}

interface Connecting {
  connect(): Promise<unknown>
  sendCommand(command: readonly string[]): Promise<unknown>
}

/** The client would say of what is none that it is none, without what is wrong with it. */
function isRedisUrl(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  try {
    decodeURIComponent(username + password)
  } catch {
    return false
  }
  return protocol === 'redis:' || protocol === 'rediss:'
}

function withPassword(url: string, password: string | undefined): string {
  if (!password) return url
  const complete = new URL(url)
  // The client decodes it, and the URL would leave a `%` in it as it is.
  if (complete.password === '') complete.password = encodeURIComponent(password)
  return complete.href
}

/**
 * The client looks the host up to ask for news of maintenance, an IPv6 address with its brackets, which fails. Such news name
 * another host to go to, and whoever gives an address has none in mind.
 */
function maintenanceOf(url: string): { maintNotifications?: 'disabled' } {
  const isIpv6 = URL.canParse(url) && new URL(url).hostname.startsWith('[')
  return isIpv6 ? { maintNotifications: 'disabled' } : {}
}

/** The queue makes connections of ours, which would keep a process alive while their server is away or frozen: they end with it. */
function endingDuplicates<Client extends Parameters<typeof watchServer>[0] & { duplicate(): Made }>(
  client: Client,
  breaker: Breaker,
): Client {
  const duplicate = client.duplicate.bind(client)
  const duplicates: Made[] = []
  client.duplicate = (...overrides) => {
    const made = duplicate(...overrides)
    duplicates.push(made)
    return made
  }
  client.once('end', () => {
    for (const made of duplicates) if (made.isOpen) made.destroy()
  })
  watchServer(client, { made: () => duplicates, breakAll: () => breaker.break() })
  return client
}

interface Made extends Watched {
  readonly isOpen: boolean
  destroy(): void
}
