import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'

/** A process that does one piece of work for every line it is sent. */
export interface Child {
  /** What it said when it was ready, as JSON. */
  readonly ready: unknown
  /** Does the work once. */
  step(): Promise<void>
  close(): Promise<void>
}

/** A process was not ready in the time that it was given. */
export class TooSlowError extends Error {}

/**
 * Starts a process that writes one line of JSON when it is ready, and one line after each piece of work. One that is not
 * ready after `limitMs` milliseconds is ended, with all that it started.
 */
export async function openChild(command: string, args: readonly string[], limitMs = 300_000): Promise<Child> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], detached: true })
  const end = () => child.pid !== undefined && process.kill(-child.pid, 'SIGKILL')
  const timer = setTimeout(end, limitMs)
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let said = ''
  child.stderr.on('data', (text: Buffer) => void (said = (said + String(text)).slice(-2000)))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  async function nextLine(): Promise<string> {
    const { done, value } = await lines.next()
    if (done) throw new Error(`${args[0]} ended without an answer: ${said.trim().split('\n').slice(-3).join(' ')}`)
    return value
  }
  const started = performance.now()
  const ready = await nextLine()
    .catch((cause: unknown) => {
      if (performance.now() - started < limitMs) throw cause
      throw new TooSlowError(`no result after ${limitMs / 1000} s`, { cause })
    })
    .finally(() => clearTimeout(timer))
  return {
    ready: JSON.parse(ready) as unknown,
    async step() {
      child.stdin.write('\n')
      await nextLine()
    },
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
