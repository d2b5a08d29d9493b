import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { countDefaultThreads } from '../../src/backends/platform.ts'
import { createQueueEngine, type QueueEngine } from '../../src/queue/index.ts'
import { connectRedis } from '../../src/redis/connect-redis.ts'
import { startRedis } from '../../test/helpers/redis-server.ts'
import type { Answered } from '../measure/call-for.ts'

interface FleetOptions {
  readonly workers: number
  /** Without it workers answer without work. */
  readonly model?: string
  /** That such an answer takes. */
  readonly milliseconds?: number
}

export interface Fleet {
  readonly connection: string
  readonly keys: string
  readonly engine: QueueEngine
  /** Another front of the same queue. */
  front(): QueueEngine
  /** Starts the workers. */
  start(): Promise<void>
}

/** Commands and bytes that a call costs the server. */
export interface Cost {
  readonly commands: number
  readonly received: number
  readonly sent: number
}

/** Does some measuring with a fleet on this machine: Redis (AOF) and workers in processes of their own. */
export async function withFleet<Result>(
  options: FleetOptions,
  measure: (fleet: Fleet) => Promise<Result>,
): Promise<Result> {
  const { workers, model = '', milliseconds = 0 } = options
  const keys = `k1:${randomBytes(32).toString('base64')}`
  const redis = await startRedis(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
  const fronts: QueueEngine[] = []
  const children: ChildProcess[] = []
  const front = () => {
    fronts.push(createQueueEngine({ connection: redis.url, keys }))
    return fronts.at(-1)!
  }
  const start = async () => {
    const args = ['bench/queue/queue-worker.mjs', redis.url, keys, model, String(milliseconds)]
    // They share the machine.
    const threads = Math.max(1, Math.floor(countDefaultThreads() / workers))
    const env = { ...process.env, TESSERA_THREADS: String(threads) }
    for (let count = 0; count < workers; count++) {
      children.push(spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] }))
    }
    await Promise.all(
      children.map((child) => {
        const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`a worker ended with ${code}`)))
        return Promise.race([once(child.stdout!, 'data'), ended])
      }),
    )
  }
  try {
    return await measure({ connection: redis.url, keys, engine: front(), front, start })
  } finally {
    await Promise.all(fronts.map((each) => each.dispose()))
    for (const child of children) child.kill('SIGKILL')
    await redis.stop()
  }
}

const COUNTED_SECONDS = 3

/** What each of the calls that are made for a time costs the server. */
export async function countCost(connection: string, ask: (seconds: number) => Promise<Answered>): Promise<Cost> {
  const client = await connectRedis(connection)
  const read = async () => {
    const info = `${await client.info('commandstats')}\n${await client.info('stats')}`
    const sum = (pattern: RegExp) => [...info.matchAll(pattern)].reduce((total, [, value]) => total + Number(value), 0)
    return [sum(/:calls=(\d+)/g), sum(/total_net_input_bytes:(\d+)/g), sum(/total_net_output_bytes:(\d+)/g)] as const
  }
  try {
    const before = await read()
    // What comes late costs the server the same.
    const { times } = await ask(COUNTED_SECONDS)
    const after = await read()
    const [commands, received, sent] = after.map((value, index) => (value - before[index]!) / times.length)
    return { commands: commands!, received: received!, sent: sent! }
  } finally {
    client.destroy()
  }
}
