import { availableParallelism, cpus, loadavg, totalmem } from 'node:os'
import { describePlatform } from '../../src/backends/platform.ts'
import { describeRuntime } from '../../src/backends/runtime.ts'

/** What figures depend on besides the code. */
export interface Environment {
  readonly date: string
  readonly cpu: string
  readonly processors: number
  readonly memory_gib: number
  readonly platform: string
  readonly node: string
  readonly runtime: string
  readonly threads: number
  /** Processes that were running before the start (average over a minute); above 0.5, others took part of the machine. Absent where it was not noted. */
  readonly load?: number
  /** The same at the end; the bench itself is part of it. */
  readonly load_after?: number
}

export async function describeEnvironment(threads: number): Promise<Environment> {
  return {
    date: new Date().toISOString(),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    processors: availableParallelism(),
    memory_gib: Math.round(totalmem() / 2 ** 30),
    platform: describePlatform(),
    node: process.version,
    runtime: (await describeRuntime('cpu')).runtime,
    threads,
    load: loadavg()[0] ?? Number.NaN,
  }
}
