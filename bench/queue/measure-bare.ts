import { randomBytes, randomUUID } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { noteServed, takeRound } from '../../src/queue/lanes.ts'
import { outcomeKey, PREFIX, queueOf } from '../../src/queue/queue-names.ts'
import { createSealer } from '../../src/queue/sealer.ts'
import { connectRedis } from '../../src/redis/connect-redis.ts'
import { startRedis } from '../../test/helpers/redis-server.ts'
import { callFor } from '../measure/call-for.ts'
import { percentile } from '../measure/percentile.ts'
import { QUESTION } from './run-callers.ts'

/** BullMQ as it is, with our lanes, and with them and calls that wait together put into one job. */
const WAYS = ['fifo', 'lanes', 'packed'] as const
type Way = (typeof WAYS)[number]

const CALLERS = [1, 64]
const ROUNDS = 5
const SECONDS = 2
const MOST_IN_A_JOB = 8
const QUEUE = queueOf('decide', 'bare')
const ANSWER = JSON.stringify({ response: { answers: { urgent: { type: 'noul', noul: 0.5 } } } })

export interface Bare {
  readonly way: Way
  readonly callers: number
  /** Calls a second and milliseconds; medians of the rounds. */
  readonly rate: number
  readonly p50: number
}

interface Call {
  readonly id: string
  readonly sealed: string
  readonly done: () => void
}

/**
 * What the parts of a queue cost: calls of one client through BullMQ and back, each sealed, with an outcome and a notice of its own, by this
 * process to itself, in each of the ways in turn.
 */
export async function measureBare(): Promise<readonly Bare[]> {
  const redis = await startRedis(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
  const figures = new Map<string, { rates: number[]; times: number[] }>()
  try {
    for (let round = 0; round < ROUNDS; round++) {
      for (const way of WAYS) {
        await withQueue(redis.url, way, async (ask) => {
          await callFor(64, 0.5, ask)
          for (const callers of CALLERS) {
            const answered = await callFor(callers, SECONDS, ask)
            const of = figures.get(`${way} ${callers}`) ?? { rates: [], times: [] }
            of.rates.push(answered.inTime / SECONDS)
            of.times.push(median(answered.times))
            figures.set(`${way} ${callers}`, of)
          }
        })
      }
    }
  } finally {
    await redis.stop()
  }
  return CALLERS.flatMap((callers) =>
    WAYS.map((way) => {
      const { rates, times } = figures.get(`${way} ${callers}`)!
      return { way, callers, rate: median(rates), p50: median(times) }
    }),
  )
}

function median(values: readonly number[]): number {
  return percentile(
    values.toSorted((a, b) => a - b),
    0.5,
  )
}

async function withQueue(url: string, way: Way, measure: (ask: () => Promise<void>) => Promise<void>): Promise<void> {
  const [client, taking, subscriber] = await Promise.all([1, 2, 3].map(() => connectRedis(url, 'connection')))
  const sealer = createSealer(`k1:${randomBytes(32).toString('base64')}`)
  const queue = new Queue(QUEUE, { connection: client!, prefix: PREFIX, streams: { events: { maxLen: 100 } } })
  const pending = new Map<string, Call>()
  const take = async (id: string) => {
    const sealed = await client!.getDel(outcomeKey(id))
    sealer.open(sealed!, id)
    pending.get(id)!.done()
    pending.delete(id)
  }
  await subscriber!.subscribe('bare', (id) => void take(id))
  const processor = async ({ priority, data }: { priority: number; data: readonly Omit<Call, 'done'>[] }) => {
    if (way !== 'fifo') await noteServed(taking!, QUEUE, priority)
    for (const { id, sealed } of data) {
      sealer.open(sealed, id)
      await taking!.set(outcomeKey(id), sealer.seal(ANSWER, id), { PX: 60_000 })
      await taking!.publish('bare', id)
    }
  }
  const worker = new Worker(QUEUE, processor, { connection: taking!, prefix: PREFIX, concurrency: 4 })
  const add = async (calls: readonly Call[]) => {
    const round = way === 'fifo' ? {} : await takeRound(client!, QUEUE, 'one')
    const data = calls.map(({ id, sealed }) => ({ id, sealed }))
    await queue.add('decide', data, { removeOnComplete: true, ...round })
  }
  const waiting: Call[] = []
  const addWaiting = () => {
    while (waiting.length > 0) void add(waiting.splice(0, MOST_IN_A_JOB))
  }
  const ask = () =>
    new Promise<void>((done) => {
      const id = randomUUID()
      const call = { id, sealed: sealer.seal(JSON.stringify({ request: QUESTION, options: {} }), id), done }
      pending.set(id, call)
      if (way !== 'packed') return void add([call])
      if (waiting.push(call) === 1) setImmediate(addWaiting)
    })
  try {
    await worker.waitUntilReady()
    await measure(ask)
  } finally {
    await Promise.allSettled([worker.close(), queue.close()])
    for (const each of [client, taking, subscriber]) each!.destroy()
  }
}
