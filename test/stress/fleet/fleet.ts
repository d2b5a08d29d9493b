import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { percentile } from '../../../bench/measure/percentile.ts'
import { freePort } from '../../helpers/free-port.ts'
import { startRedis } from '../../helpers/redis-server.ts'
import { WebhookReceiver } from '../../helpers/webhook-receiver.ts'
import { Clients } from './clients.ts'
import { type Host, Hosts } from './hosts.ts'
import { judgeWebhooks } from './judge-webhooks.ts'
import { Program } from './programs.ts'
import { TENANTS } from './tenants.ts'

/*
 * Kills the processes of a fleet at random under clients that send everything until it is answered: two fronts, four
 * workers, and the Redis server that holds queue and balances (AOF, written through). With --hosts each of them is in a network namespace
 * of its own, whose cable is pulled as well (Linux, as root); with --model workers have that model.
 *
 * After each fault it waits until all is answered, --apart seconds at most.
 *
 *     npm run stress:fleet [-- --seconds 600 --clients 64 --apart 12 --hosts --model models/decide-mini]
 *
 * Half of the requests are jobs, and one in twenty is a batch of ten lines; both have webhooks, one in ten of which is refused when it comes.
 *
 * Prints a line of JSON, and ends with 1 where a request is not answered within two minutes of the end, an answer is not
 * the one to its request, the balances are not what was answered, or a webhook of a job that a client knows to be over did not
 * come within three minutes, signed.
 */

const FRONTS = 2
const WORKERS = 4
const MOST_WAIT_MS = 120_000
/** Longer than the lease of the workers. */
const CUT_MS = 6000
const PORT = 8080
/** One in ten. */
const REFUSED_ANSWERS = [503, ...Array.from({ length: 9 }, () => 200)]

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '600' },
    clients: { type: 'string', default: '64' },
    apart: { type: 'string', default: '12' },
    hosts: { type: 'boolean', default: false },
    model: { type: 'string', default: '' },
  },
})

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

async function restartOne(programs: readonly Program[]): Promise<void> {
  const program = pick(programs)
  await program.kill()
  await sleep(Math.random() * 1000)
  program.start()
}

async function cutOne(among: readonly Host[]): Promise<void> {
  const host = pick(among)
  await host.cut()
  await sleep(CUT_MS)
  await host.mend()
}

/**
 * Does something harmful every few seconds.
 *
 * @returns milliseconds until all that was asked at that moment was answered, once it is
 */
async function disturb(clients: Clients, faults: readonly Fault[]): Promise<Record<string, number[]>> {
  const recovery: Record<string, number[]> = Object.fromEntries(faults.map(({ kind }) => [kind, []]))
  const end = performance.now() + Number(values.seconds) * 1000
  for (let index = 0; performance.now() < end; index++) {
    await sleep(1000 + Math.random() * 2000)
    const { kind, strike } = faults[index % faults.length]!
    const began = performance.now()
    const settled = clients.settled().then(() => recovery[kind]!.push(Math.round(performance.now() - began)))
    await strike()
    // What takes longer is overtaken by the next fault.
    await Promise.race([settled, sleep(Number(values.apart) * 1000, undefined, { ref: false })])
  }
  return recovery
}

interface Fault {
  readonly kind: string
  readonly strike: () => Promise<void>
}

function pick<Value>(among: readonly Value[]): Value {
  return among[Math.floor(Math.random() * among.length)]!
}

async function readSecret(url: string, tenant: string): Promise<string> {
  const response = await fetch(`${url}/v1/webhook-secret`, { headers: { authorization: `Bearer ${tenant}` } })
  return ((await response.json()) as { readonly secrets: readonly string[] }).secrets[0]!
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

const rounded = (sorted: readonly number[], share: number) => Math.round(percentile(sorted, share))

const keys = `k1:${randomBytes(32).toString('base64')}`
const hosts = new Hosts()
if (values.hosts) await hosts.open()
const address = values.hosts ? hosts.address : '127.0.0.1'
const open = values.hosts ? ['--protected-mode', 'no', '--bind', address, '127.0.0.1'] : []
const redis = await startRedis([
  '--appendonly',
  'yes',
  '--appendfsync',
  'always',
  '--maxmemory-policy',
  'noeviction',
  ...open,
])
const connection = `redis://${address}:${redis.port}`
const journal = await mkdtemp(join(tmpdir(), 'tessera-journal-'))
const places: { front: Host[]; worker: Host[] } = { front: [], worker: [] }
for (let count = 0; values.hosts && count < FRONTS; count++) places.front.push(await hosts.add())
for (let count = 0; values.hosts && count < WORKERS; count++) places.worker.push(await hosts.add())
const listening = await Promise.all(
  Array.from({ length: FRONTS }, async (_, index) => {
    const host = places.front[index]
    return host ? { host: host.address, port: PORT } : { host: '127.0.0.1', port: await freePort() }
  }),
)
const urls = listening.map(({ host, port }) => `http://${host}:${port}`)
const shared = [connection, keys]
const secret = `whsec_${randomBytes(32).toString('base64')}`
const receiver = new WebhookReceiver()
const webhook = await receiver.listen(address)
const refusing = setInterval(() => receiver.answers.push(...REFUSED_ANSWERS.slice(receiver.answers.length)), 100)
const programs = {
  front: listening.map(({ host, port }, index) => {
    const args = [script('fleet-front-worker'), ...shared, host, String(port), journal, secret]
    return new Program(places.front[index]?.prefix ?? [], ...args)
  }),
  worker: Array.from({ length: WORKERS }, (_, index) => {
    return new Program(places.worker[index]?.prefix ?? [], script('fleet-engine-worker'), ...shared, values.model)
  }),
}
const kills: readonly Fault[] = [
  { kind: 'worker killed', strike: () => restartOne(programs.worker) },
  { kind: 'front killed', strike: () => restartOne(programs.front) },
  {
    kind: 'Redis killed',
    async strike() {
      await redis.kill()
      await sleep(Math.random() * 1000)
      await redis.restart()
    },
  },
]
const cuts: readonly Fault[] = [
  { kind: 'worker cut off', strike: () => cutOne(places.worker) },
  { kind: 'front cut off', strike: () => cutOne(places.front) },
]
for (const program of [...programs.front, ...programs.worker]) program.start()
try {
  await Promise.all(urls.map(untilReady))
  receiver.secrets.push(...(await Promise.all(TENANTS.map((tenant) => readSecret(urls[0]!, tenant)))))
  const clients = new Clients(urls, webhook, values.model === '')
  for (let count = 0; count < Number(values.clients); count++) void clients.run()
  const recoveryMs = await disturb(clients, values.hosts ? [...kills, ...cuts] : kills)
  await Promise.all(urls.map(untilReady))
  const isAnswered = await Promise.race([clients.stop().then(() => true), sleep(MOST_WAIT_MS).then(() => false)])
  // Charges that waited for the store are made within seconds of its return.
  let charged = await readCharged(urls[0]!)
  for (let tries = 0; tries < 30 && JSON.stringify(charged) !== JSON.stringify(clients.answered); tries++) {
    await sleep(1000)
    charged = await readCharged(urls[0]!)
  }
  const isEqual = JSON.stringify(charged) === JSON.stringify(clients.answered)
  const webhooks = await judgeWebhooks(receiver, clients.ended)
  const latencies = clients.latencies.toSorted((a, b) => a - b)
  const report = {
    answered: latencies.length,
    isAnswered,
    ...(!isAnswered && { waiting: clients.waiting }),
    isLedgerEqual: isEqual,
    ...(!isEqual && { charged, expected: clients.answered }),
    batches: clients.batches,
    webhooks,
    wrong: clients.wrong.slice(0, 10),
    tries: Object.fromEntries(clients.refusals),
    latencyMs: { p50: rounded(latencies, 0.5), p99: rounded(latencies, 0.99), max: rounded(latencies, 1) },
    recoveryMs: Object.fromEntries(
      Object.entries(recoveryMs).map(([kind, times]) => {
        const sorted = times.toSorted((a, b) => a - b)
        return [kind, { times: times.length, p50: rounded(sorted, 0.5), max: rounded(sorted, 1) }]
      }),
    ),
  }
  process.stdout.write(`${JSON.stringify(report)}\n`)
  const areTold = webhooks.missing === 0 && webhooks.unsigned === 0
  process.exitCode = isAnswered && isEqual && areTold && clients.wrong.length === 0 ? 0 : 1
} finally {
  clearInterval(refusing)
  await Promise.all([...programs.front, ...programs.worker].map((program) => program.kill()))
  await redis.stop()
  if (values.hosts) await hosts.close()
  await rm(journal, { recursive: true })
}
process.exit()
