import { refusalWord } from './refusal-word.ts'

/** Tries of a connection that are waited out in silence: a server that only restarts is back 1.5 seconds after it broke. */
const SILENT_TRIES = 5
const REFUSALS_EVERY_MS = 60_000

/**
 * Tells the operator, once for each reason, why connections do not come back: nothing else says so where nobody asks, as of a
 * worker.
 */
export class Outage {
  readonly #option: string
  readonly #told = new Set<string>()

  constructor(option: string) {
    this.#option = option
  }

  /** @param tries that have failed before this one, since the connection broke */
  failed(tries: number, { code, message }: NodeJS.ErrnoException): void {
    const reason = code ?? message
    if (tries < SILENT_TRIES || this.#told.has(reason)) return
    this.#told.add(reason)
    warn(`${this.#option}: the Redis server cannot be reached (${reason}); it is asked again until it can be`)
  }

  ended(): void {
    this.#told.clear()
  }
}

/** Tells of what a server refuses, once a minute: the same is asked again and again. Connections that break are told of by `Outage`. */
export function tellRefusals(): (error: Error) => void {
  let last = -Infinity
  return (error) => {
    const now = performance.now()
    if (refusalWord(error) === undefined || now - last < REFUSALS_EVERY_MS) return
    last = now
    warn(`the Redis server refuses what a worker asks of it (${error.message}); no calls are taken until it does not`)
  }
}

/** Tells of a server that drops what it holds when its memory is full. One that does not say so may still be used. */
export async function tellEviction(client: { info(section: string): Promise<string> }): Promise<void> {
  const memory = await client.info('memory').catch(() => '')
  const [, policy = 'noeviction'] = /^maxmemory_policy:(.*?)\r?$/m.exec(memory) ?? []
  if (policy === 'noeviction') return
  const loses = `loses jobs and calls when its memory is full (maxmemory_policy is ${policy})`
  warn(`connection: the Redis server ${loses}; set maxmemory-policy noeviction`)
}

function warn(message: string): void {
  process.emitWarning(message, 'TesseraRedisWarning')
}
