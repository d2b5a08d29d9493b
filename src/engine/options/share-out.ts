import { countDefaultThreads } from '../../backends/index.ts'

/** What open models of a worker for short calls may take, in bytes: some small ones. */
const NARROW_BUDGET = 256 * 2 ** 20
/** The thread that answers requests keeps no more of them busy. */
const MOST_NARROW = 8

/** What a worker has of the machine. */
interface Share {
  /** @defaultValue what the backend takes */
  readonly threads?: number
  readonly memoryBudget: number
}

/** How the workers of an engine share processors and memory. */
export interface Shares {
  /** Of each worker; where there are narrow ones, of the one beside them. */
  readonly wide: Share
  /** Of each worker with one thread, for small models. */
  readonly narrow?: Share
  /** All of them. */
  readonly workers: number
}

interface Machine {
  readonly workers: number | 'auto'
  /** Where they are named. */
  readonly threads: number | undefined
  readonly memoryBudget: number
  /** Whether `auto` has to be a single worker, since others would not see what it keeps or would cost a process each. */
  readonly isSingle: boolean
}

/** `auto` is a worker that has all threads, and beside it, where there is memory, one of a single thread for each of them. */
export function shareOut({ workers, threads, memoryBudget, isSingle }: Machine): Shares {
  if (workers !== 'auto') {
    const each = threads ?? (workers > 1 ? Math.max(1, Math.floor(countDefaultThreads() / workers)) : undefined)
    return { wide: shareOf(each, memoryBudget / workers), workers }
  }
  const fitting = Math.floor(memoryBudget / 2 / NARROW_BUDGET)
  const count = isSingle ? 0 : Math.min(threads ?? countDefaultThreads(), MOST_NARROW, fitting)
  // One of a single thread does no more calls than the one that has all of them.
  if (count < 2) return { wide: shareOf(threads, memoryBudget), workers: 1 }
  return {
    wide: shareOf(threads, memoryBudget - count * NARROW_BUDGET),
    narrow: shareOf(1, NARROW_BUDGET),
    workers: 1 + count,
  }
}

function shareOf(threads: number | undefined, memoryBudget: number): Share {
  return { memoryBudget, ...(threads !== undefined && { threads }) }
}
