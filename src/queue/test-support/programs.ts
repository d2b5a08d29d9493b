import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { vi } from 'vitest'
import { bundleWorker } from '../../engine/test-support/bundle-worker.ts'

export interface Program {
  readonly child: ChildProcess
  readonly printed: () => string
}

const STARTED = { timeout: 60_000 }

/** Processes that a test starts, and that end with it. */
export class Programs {
  areKilled = false
  readonly #running: Program[] = []

  /** @param script name of a file of this folder, without its ending */
  static async of(script: string): Promise<(...args: readonly string[]) => readonly string[]> {
    const file = fileURLToPath(await bundleWorker(`src/queue/test-support/${script}.ts`, `queue-${script}`))
    return (...args) => [file, ...args]
  }

  /** @param says what it prints when it is ready */
  async start(args: readonly string[], says: string): Promise<Program> {
    this.areKilled = false
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    let text = ''
    child.stdout.on('data', (chunk) => (text += String(chunk)))
    const program = { child, printed: () => text }
    this.#running.push(program)
    await vi.waitUntil(() => text.includes(says), STARTED)
    return program
  }

  killAll(): void {
    this.areKilled = true
    for (const { child } of this.#running.splice(0)) child.kill('SIGKILL')
  }
}
