import { InvalidRequestError } from '../../errors/index.ts'
import type { NodeTimeouts } from '../../http/adapters/node.ts'
import { defaultJournal } from '../../http/serve/default-journal.ts'
import type { Ending } from '../../http/serve/serve-http.ts'
import { decisionArguments, isolateArgument, keepStatesArgument } from '../engine-arguments.ts'
import { namedLoraArgument } from '../lora-arguments.ts'
import { queuePlaintextArgument } from '../queue-arguments.ts'
import { readTime } from '../read-duration.ts'
import { servedArgument } from '../served-models.ts'

const duration = (preset: string, description: string) =>
  ({ type: 'string', default: preset, description, valueHint: 'duration' }) as const

const lifecycleArguments = {
  preload: {
    type: 'boolean',
    default: false,
    description: 'open the models of --use, or that of decisions, before listening',
  },
  drain: duration('0s', 'on SIGTERM, take requests for so long while /readyz refuses more'),
  grace: duration('25s', 'after SIGTERM, cut off what is still open then'),
  'keep-alive': duration('65s', 'how long idle connections stay open'),
  'headers-timeout': duration('20s', 'how long the headers of a request may take'),
  'request-timeout': duration('300s', 'how long a whole request may take to arrive'),
} as const

const storeArguments = {
  store: {
    type: 'string',
    default: 'memory',
    description: 'where usage is kept: memory, an SQLite file (from Node 22.5 on) or a Redis server',
    valueHint: 'memory|file|url',
  },
  journal: {
    type: 'string',
    description:
      'folder for charges that wait while the store is away; default one for each store in ~/.local/state/tessera/journal',
    valueHint: 'folder',
  },
  'accept-loss': {
    type: 'boolean',
    default: false,
    description: 'take a Redis server that is set up to forget balances',
  },
} as const

export const serveArguments = {
  port: { type: 'string', default: '8080', description: 'port to listen on; 0 for any free one', valueHint: 'n' },
  host: { type: 'string', default: '127.0.0.1', description: 'address to listen on', valueHint: 'address' },
  'keys-file': {
    type: 'string',
    description:
      'JSON file {"keys": [...]}, as keys add makes one; else TESSERA_API_KEYS, else the key of the first run',
    valueHint: 'file',
  },
  ...storeArguments,
  queue: {
    type: 'string',
    description: 'send the work to tessera worker on other machines, through this Redis server; needs no models here',
    valueHint: 'url',
  },
  ...queuePlaintextArgument,
  'webhooks-private': {
    type: 'boolean',
    default: false,
    description: 'send webhooks of jobs also to private addresses and without TLS',
  },
  'access-log': {
    type: 'boolean',
    default: true,
    description: 'a line of JSON on stdout for each request',
    negativeDescription: 'no such lines',
  },
  console: {
    type: 'boolean',
    default: true,
    description: 'a page under /console with usage, a playground and jobs',
    negativeDescription: 'no such page',
  },
  workers: {
    type: 'string',
    description:
      'worker threads that calls are shared out to; default auto: one for each of --threads, for small models',
    valueHint: 'n',
  },
  ...isolateArgument,
  ...keepStatesArgument,
  ...lifecycleArguments,
  ...decisionArguments,
  ...servedArgument,
  ...namedLoraArgument,
} as const

export interface LifecycleArguments {
  readonly drain: string
  readonly grace: string
  readonly 'keep-alive': string
  readonly 'headers-timeout': string
  readonly 'request-timeout': string
}

/** @throws InvalidRequestError naming the flag */
export function readLifecycle(args: LifecycleArguments): {
  readonly ending: Required<Ending>
  readonly timeouts: NodeTimeouts
} {
  const read = (name: keyof LifecycleArguments, least?: '1ms') => readTime(`--${name}`, args[name], least)
  const ending = { drainMs: read('drain'), graceMs: read('grace') }
  if (ending.drainMs > ending.graceMs) throw new InvalidRequestError('--drain', 'must not be longer than --grace')
  return {
    ending,
    timeouts: {
      keepAliveMs: read('keep-alive', '1ms'),
      headersMs: read('headers-timeout', '1ms'),
      requestMs: read('request-timeout', '1ms'),
    },
  }
}

/** An IPv6 address may be in brackets, as it is in the address that the service says. */
export function readHost(host: string): string {
  return host.replace(/^\[(.*)\]$/, '$1')
}

/** Where charges wait for the store; a store in memory is never away. */
export function readJournal({ store, journal }: { readonly store: string; readonly journal?: string | undefined }) {
  return store === 'memory' ? {} : { journal: journal ?? defaultJournal(process.env, store) }
}
