/** Memory of this process in bytes, after everything that nobody holds is gone. Needs node --expose-gc. */
export async function measureMemory() {
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
