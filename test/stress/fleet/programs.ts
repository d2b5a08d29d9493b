import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program that is started again after it was killed, until it is stopped. */
export class Program {
  readonly #command: readonly string[]
  #child: ChildProcess | undefined

  /** @param prefix what the command line begins with, as where it runs on another host */
  constructor(prefix: readonly string[], ...args: readonly string[]) {
    this.#command = [...prefix, process.execPath, ...args]
  }

  start(): void {
    const [program = '', ...args] = this.#command
    this.#child = spawn(program, args, { stdio: ['ignore', 'ignore', 'inherit'] })
  }

  /** As a crash would. */
  async kill(): Promise<void> {
    const child = this.#child
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGKILL')
    await ended
  }
}
