import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface MemoryUse {
  /** MiB of the process at the start, at most, and at the end. */
  readonly first: number
  readonly most: number
  readonly last: number
  /** The least of each third of the time: between collections it rises and falls, and what leaks lifts the least. */
  readonly least_of_thirds: readonly number[]
}

/** Reads the resident memory of a process every second, until the returned function is called. */
export function watchMemory(pid: number): () => Promise<MemoryUse> {
  const samples: number[] = []
  const read = async () => {
    const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(pid)])
    samples.push(Number(stdout) / 1024)
  }
  const timer = setInterval(() => void read().catch(() => clearInterval(timer)), 1000)
  return async () => {
    clearInterval(timer)
    await read()
    const third = Math.ceil(samples.length / 3)
    const least = [0, 1, 2].map((part) => Math.min(...samples.slice(part * third, (part + 1) * third)))
    return { first: samples[0]!, most: Math.max(...samples), last: samples.at(-1)!, least_of_thirds: least }
  }
}
