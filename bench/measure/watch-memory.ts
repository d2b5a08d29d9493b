const INTERVAL_MS = 10

/** Does the work and tells how much more memory the process held at its largest than before, in MiB. */
export async function watchMemory(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let most = before
  const look = () => void (most = Math.max(most, process.memoryUsage.rss()))
  // The engine computes in a thread of its own, so this one is free to look.
  const timer = setInterval(look, INTERVAL_MS)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  look()
  return (most - before) / 2 ** 20
}
