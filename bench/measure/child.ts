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

/** Starts a process that writes one line of JSON when it is ready, and one line after each piece of work. */
export async function openChild(
  command: string, args: readonly string[], environment: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, ...environment } })
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
  let said = ''
  child.stderr.on('data', (text: Buffer) => void (said = (said + String(text)).slice(-2000)))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  async function nextLine(): Promise<string> {
    const { done, value } = await lines.next()
    if (done) throw new Error(`${args[0]} ended without an answer: ${said.trim().split('\n').slice(-3).join(' ')}`)
    return value
  }
  return {
    ready: JSON.parse(await nextLine()) as unknown,
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
