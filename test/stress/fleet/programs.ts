import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

const RESTART_MS = 500

/** A program that is started again after it was killed, until it is stopped. */
export class Program {
  readonly #command: readonly string[]
  #child: ChildProcess | undefined
  #isWanted = false

  /** @param prefix what the command line begins with, as where it runs on another host */
  constructor(prefix: readonly string[], ...args: readonly string[]) {
    this.#command = [...prefix, process.execPath, ...args]
  }

  start(): void {
    this.#isWanted = true
    const [program = '', ...args] = this.#command
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
    this.#child = child
    // As whatever supervises services does: one that starts while the server is away ends at once.
    const restart = () => void (this.#isWanted && this.#child === child && this.start())
    child.once('exit', () => setTimeout(restart, RESTART_MS).unref())
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    this.#isWanted = false
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}
