export type Memory = Record<'rss' | 'heapUsed' | 'arrayBuffers', number>

/** Bytes that a run of the same work may grow each kind of memory by. */
export const GROWTH: Omit<Memory, 'rss'> = { heapUsed: 4e6, arrayBuffers: 1e6 }

/**
 * Bytes that work grows memory by after it was done once. It is done again where that is more than it may: what leaks is lost
 * both times, what the allocator happens to take for later only once.
 *
 * @param rss that it may grow by, in bytes
 */
export async function measureGrowth(work: (round: number) => Promise<void>, rss: number): Promise<Memory> {
  const before = await measureMemory()
  await work(0)
  const after = await measureMemory()
  const first = subtract(after, before)
  if (first.rss < rss && first.heapUsed < GROWTH.heapUsed && first.arrayBuffers < GROWTH.arrayBuffers) return first
  await work(1)
  const second = subtract(await measureMemory(), after)
  return combine(first, second, Math.min)
}

const subtract = (left: Memory, right: Memory) => combine(left, right, (one, other) => one - other)

function combine(left: Memory, right: Memory, by: (one: number, other: number) => number): Memory {
  return {
    rss: by(left.rss, right.rss),
    heapUsed: by(left.heapUsed, right.heapUsed),
    arrayBuffers: by(left.arrayBuffers, right.arrayBuffers),
  }
}

/** Memory of this process in bytes, after everything that nobody holds is gone. Needs node --expose-gc. */
export async function measureMemory(): Promise<Memory> {
  const { gc } = globalThis
  if (gc === undefined) throw new Error('expected node --expose-gc')
  const collectGarbage: () => unknown = gc
  // What native code frees when a wrapper is collected takes a turn of the event loop, and another collection, to be gone.
  for (let round = 0; round < 4; round++) {
    collectGarbage()
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  const { rss, heapUsed, arrayBuffers } = process.memoryUsage()
  return { rss, heapUsed, arrayBuffers }
}
