import { setTimeout as sleep } from 'node:timers/promises'
import { percentile } from '../measure/percentile.ts'
import type { Bench } from '../report/bench.ts'
import { table } from '../report/markdown.ts'
import { type Answers, runClients } from './run-clients.ts'
import { type Service, type Split, startService } from './start-service.ts'
import { type MemoryUse, watchMemory } from './watch-memory.ts'

const KEYS = ['key-a', 'key-b', 'key-c', 'key-d']
const CLIENTS = 64
/** The model is opened, code is compiled, and memory grows to what 64 requests at once need. */
const WARM_UP_SECONDS = 20
const SECONDS = 60
const STORM_SECONDS = 20

interface Times {
  readonly p50: number
  readonly p90: number
  readonly p99: number
  readonly max: number
}

/** What the ledger says, for all keys together. */
interface Charged {
  readonly requests: number
  readonly tokens: number
}

interface Load extends Split {
  readonly seconds: number
  /** That came within them. */
  readonly answers: number
  readonly tokens: number
  readonly statuses: Readonly<Record<string, number>>
  readonly charged: Charged
  readonly milliseconds: Times
  readonly memory: MemoryUse
}

interface ServiceResults {
  readonly clients: number
  /** With all threads in one worker, and as `tessera serve` shares them out by itself. */
  readonly loads: readonly Load[]
  /** With one worker. */
  readonly storm: {
    readonly seconds: number
    /** As above. */
    readonly answers: number
    readonly aborted: number
    readonly statuses: Readonly<Record<string, number>>
    readonly charged: Charged
    /** Milliseconds after the last client until nothing ran any more. */
    readonly drained_ms: number
    /** Time of one request alone afterwards. */
    readonly next_ms: number
  }
}

/** A running `tessera serve` under more clients than it has processors, patient ones and then such as hang up. */
export const serviceBench: Bench<ServiceResults> = {
  async measure({ threads }) {
    const one = { workers: 1, threads }
    const { load, storm } = await onService(one, async (service) => {
      const load = await measureLoad(service, one)
      console.error(`storm: the same, half of them hanging up, for ${STORM_SECONDS} s`)
      return { load, storm: await measureStorm(service) }
    })
    if (threads === 1) return { clients: CLIENTS, loads: [load], storm }
    const auto = { workers: 'auto', threads } as const
    const shared = await onService(auto, (service) => measureLoad(service, auto))
    return { clients: CLIENTS, loads: [load, shared], storm }
  },
  render: ({ clients, loads, storm }) => {
    const statuses = (counts: Readonly<Record<string, number>>) =>
      Object.entries(counts)
        .map((entry) => entry.join(': '))
        .join(', ')
    const head = ['', 'answers', 'given up', 'statuses', 'charged']
    const rows = [
      ...loads.map((load) => [
        `patient clients, ${describe(load)}`,
        String(load.answers),
        '0',
        statuses(load.statuses),
        `${load.charged.requests} requests, ${load.charged.tokens} tokens`,
      ]),
      [
        'half of them hang up',
        String(storm.answers),
        String(storm.aborted),
        statuses(storm.statuses),
        `${storm.charged.requests} requests, ${storm.charged.tokens} tokens`,
      ],
    ]
    const found = [
      ...loads.map((load) => {
        const { memory, milliseconds: times } = load
        return (
          `Answers of patient clients, ${describe(load)}: ${(load.answers / load.seconds).toFixed(0)} a second with 3 questions each; half of them within ` +
          `${times.p50.toFixed(0)} ms, 90 % within ${times.p90.toFixed(0)} ms, 99 % within ${times.p99.toFixed(0)} ms, all within ${times.max.toFixed(0)} ms. ` +
          `They said ${load.tokens} input tokens in all. Memory of the service: ${memory.first.toFixed(0)} MiB at the start, ` +
          `${memory.most.toFixed(0)} MiB at most; at least ${memory.least_of_thirds.map((mib) => mib.toFixed(0)).join(', ')} MiB in each third of the time.`
        )
      }),
      `After the others hung up, nothing ran any more after ${storm.drained_ms.toFixed(0)} ms, and a request alone took ${storm.next_ms.toFixed(0)} ms.`,
    ]
    const title = `${clients} clients of four keys, each sending one request after the other to \`tessera serve\` on the same machine. Answers are those that came within the time; before 2026-11-29 those that came after it counted, too.`
    return { markdown: [title, table(head, rows), ...found].join('\n\n') }
  },
}

const describe = ({ workers, threads }: Split) =>
  workers === 'auto' ? `${threads} threads shared out by default` : `one worker of ${threads} threads`

/** Starts a service, warms it up, measures, and stops it. */
async function onService<T>(split: Split, measure: (service: Service) => Promise<T>): Promise<T> {
  const service = await startService(KEYS, split)
  try {
    console.error(`${describe(split)}; warm-up: ${WARM_UP_SECONDS} s`)
    await runClients({ ...to(service), clients: CLIENTS, seconds: WARM_UP_SECONDS, patience: () => undefined })
    return await measure(service)
  } finally {
    await service.stop()
  }
}

const to = ({ url }: Service) => ({ url, keys: KEYS })

async function measureLoad(service: Service, split: Split): Promise<Load> {
  console.error(`load: ${CLIENTS} clients for ${SECONDS} s`)
  const before = await readCharged(service)
  const readMemory = watchMemory(service.pid)
  const { times, inTime, statuses, tokens } = await runClients({
    ...to(service),
    clients: CLIENTS,
    seconds: SECONDS,
    patience: () => undefined,
  })
  const memory = await readMemory()
  const charged = since(before, await readCharged(service))
  requireEqual(charged, { requests: times.length, tokens })
  return {
    ...split,
    seconds: SECONDS,
    answers: inTime,
    tokens,
    statuses,
    charged,
    milliseconds: percentiles(times),
    memory,
  }
}

/** Patient clients get every answer that is charged, so that a difference is a fault and no figure. */
function requireEqual(charged: Charged, answered: Charged): void {
  const [ledger, clients] = [charged, answered].map((counts) => JSON.stringify(counts))
  if (ledger !== clients) throw new Error(`the ledger has ${ledger}, the clients were answered ${clients}`)
}

async function measureStorm(service: Service): Promise<ServiceResults['storm']> {
  const before = await readCharged(service)
  const patience = (client: number, request: number) =>
    client % 2 === 0 ? undefined : 1 + ((client * 7 + request * 13) % 400)
  const { inTime, statuses, aborted } = await runClients({
    ...to(service),
    clients: CLIENTS,
    seconds: STORM_SECONDS,
    patience,
  })
  const ended = performance.now()
  while ((await countRunning(service)) > 1) await sleep(5)
  const drained = performance.now() - ended
  const charged = since(before, await readCharged(service))
  const [next] = (await runClients({ ...to(service), clients: 1, seconds: 0.01, patience: () => undefined })).times
  return {
    seconds: STORM_SECONDS,
    answers: inTime,
    aborted,
    statuses,
    charged,
    drained_ms: drained,
    next_ms: next!,
  }
}

/** Requests being answered, that of the question among them. */
async function countRunning({ url }: Service): Promise<number> {
  const response = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${KEYS[0]!}` } })
  return Number(/^tessera_http_requests_in_flight (\d+)$/m.exec(await response.text())?.[1])
}

async function readCharged({ url }: Service): Promise<Charged> {
  const usage = await Promise.all(
    KEYS.map(async (key) => {
      const response = await fetch(`${url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })
      const { months } = (await response.json()) as { months: { requests: number; input_tokens: number }[] }
      return months
    }),
  )
  const rows = usage.flat()
  const sum = (count: (row: (typeof rows)[number]) => number) => rows.reduce((total, row) => total + count(row), 0)
  return { requests: sum(({ requests }) => requests), tokens: sum(({ input_tokens }) => input_tokens) }
}

function since(before: Charged, after: Charged): Charged {
  return { requests: after.requests - before.requests, tokens: after.tokens - before.tokens }
}

function percentiles(times: Answers['times']): Times {
  const sorted = [...times].sort((a, b) => a - b)
  const at = (share: number) => percentile(sorted, share)
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max: at(1) }
}
