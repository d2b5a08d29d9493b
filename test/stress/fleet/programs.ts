import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/** A program that is started again after it was killed, until it is stopped. */
export class Program {
  readonly #args: readonly string[]
  #child: ChildProcess | undefined

  constructor(...args: readonly string[]) {
    this.#args = args
  }

  start(): void {
    this.#child = spawn(process.execPath, [...this.#args], { stdio: ['ignore', 'ignore', 'inherit'] })
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
