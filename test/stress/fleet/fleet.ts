import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { freePort } from '../../helpers/free-port.ts'
import { startRedis, type TestRedis } from '../../helpers/redis-server.ts'
import { Clients } from './clients.ts'
import { Program } from './programs.ts'
import { TENANTS } from './tenants.ts'

/*
 * Kills the processes of a fleet at random under clients that send everything until it is answered: two fronts, four
 * workers, and the Redis server that holds queue and balances (AOF).
 *
 *     npm run stress:fleet [-- --seconds 600 --clients 64]
 *
 * Prints a line of JSON, and ends with 1 where a request is not answered within two minutes of the end, an answer is not
 * the one to its request, or the balances are not what was answered.
 */

const FRONTS = 2
const WORKERS = 4
const MOST_WAIT_MS = 120_000
const FAULTS_APART_MS = 8000

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '600' }, clients: { type: 'string', default: '64' } },
})

type Kind = 'worker' | 'front' | 'redis'

const script = (name: string) => fileURLToPath(new URL(`./${name}.js`, import.meta.url))

async function untilReady(url: string): Promise<void> {
  const end = performance.now() + MOST_WAIT_MS
  for (;;) {
    const ready = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return
    if (performance.now() > end) throw new Error(`${url} is not ready`)
    await sleep(200)
  }
}

async function killOne(
  kind: Kind,
  redis: TestRedis,
  programs: Readonly<Record<'worker' | 'front', readonly Program[]>>,
) {
  if (kind === 'redis') {
    await redis.kill()
    await sleep(Math.random() * 1000)
    return redis.restart()
  }
  const program = programs[kind][Math.floor(Math.random() * programs[kind].length)]!
  await program.kill()
  await sleep(Math.random() * 1000)
  program.start()
}

/**
 * Kills something every few seconds.
 *
 * @returns milliseconds until all that was asked at that moment was answered, once it is
 */
async function disturb(clients: Clients, kill: (kind: Kind) => Promise<void>): Promise<Record<Kind, number[]>> {
  const recovery: Record<Kind, number[]> = { worker: [], front: [], redis: [] }
  const kinds: readonly Kind[] = ['worker', 'front', 'worker', 'redis']
  const end = performance.now() + Number(values.seconds) * 1000
  for (let index = 0; performance.now() < end; index++) {
    await sleep(1000 + Math.random() * 2000)
    const kind = kinds[index % kinds.length]!
    const began = performance.now()
    const settled = clients.settled().then(() => recovery[kind].push(Math.round(performance.now() - began)))
    await kill(kind)
    // What takes longer is overtaken by the next fault.
    await Promise.race([settled, sleep(FAULTS_APART_MS, undefined, { ref: false })])
  }
  return recovery
}

/** What the accounts were charged, by what any front says. */
async function readCharged(url: string) {
  const accounts = TENANTS.map(async (tenant) => {
    const response = await fetch(`${url}/v1/usage`, { headers: { authorization: `Bearer ${tenant}` } })
    const { months } = (await response.json()) as {
      readonly months: readonly { requests: number; input_tokens: number }[]
    }
    const sum = (name: 'requests' | 'input_tokens') => months.reduce((total, month) => total + month[name], 0)
    return [tenant, { requests: sum('requests'), tokens: sum('input_tokens') }]
  })
  return Object.fromEntries(await Promise.all(accounts)) as Clients['answered']
}

function percentile(sorted: readonly number[], share: number): number {
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
}

const keys = `k1:${randomBytes(32).toString('base64')}`
const redis = await startRedis(['--appendonly', 'yes', '--maxmemory-policy', 'noeviction'])
const journal = await mkdtemp(join(tmpdir(), 'tessera-journal-'))
const ports = await Promise.all(Array.from({ length: FRONTS }, freePort))
const urls = ports.map((port) => `http://127.0.0.1:${port}`)
const programs = {
  front: ports.map((port) => new Program(script('fleet-front-worker'), redis.url, keys, String(port), journal)),
  worker: Array.from({ length: WORKERS }, () => new Program(script('fleet-engine-worker'), redis.url, keys)),
}
for (const program of [...programs.front, ...programs.worker]) program.start()
try {
  await Promise.all(urls.map(untilReady))
  const clients = new Clients(urls)
  for (let count = 0; count < Number(values.clients); count++) void clients.run()
  const recoveryMs = await disturb(clients, (kind) => killOne(kind, redis, programs))
  await Promise.all(urls.map(untilReady))
  const isAnswered = await Promise.race([clients.stop().then(() => true), sleep(MOST_WAIT_MS).then(() => false)])
  // Charges that waited for the store are made within seconds of its return.
  let charged = await readCharged(urls[0]!)
  for (let tries = 0; tries < 30 && JSON.stringify(charged) !== JSON.stringify(clients.answered); tries++) {
    await sleep(1000)
    charged = await readCharged(urls[0]!)
  }
  const isEqual = JSON.stringify(charged) === JSON.stringify(clients.answered)
  const latencies = clients.latencies.toSorted((a, b) => a - b)
  const report = {
    answered: latencies.length,
    isAnswered,
    isLedgerEqual: isEqual,
    ...(!isEqual && { charged, expected: clients.answered }),
    wrong: clients.wrong.slice(0, 10),
    tries: Object.fromEntries(clients.refusals),
    latencyMs: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99), max: percentile(latencies, 1) },
    recoveryMs: Object.fromEntries(
      Object.entries(recoveryMs).map(([kind, times]) => {
        const sorted = times.toSorted((a, b) => a - b)
        return [kind, { kills: times.length, p50: percentile(sorted, 0.5), max: percentile(sorted, 1) }]
      }),
    ),
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
  process.exitCode = isAnswered && isEqual && clients.wrong.length === 0 ? 0 : 1
} finally {
  await Promise.all([...programs.front, ...programs.worker].map((program) => program.kill()))
  await redis.stop()
  await rm(journal, { recursive: true })
}
process.exit()
