/**
 * Tells the caller's own code of something. What that throws goes to `fail`, also later where it is an async function: nobody
 * else would hear of it, and a promise that is rejected unheard ends the process.
 */
export function tell<News>(
  listener: ((news: News) => unknown) | undefined,
  news: News,
  fail: (error: unknown) => void,
): void {
  try {
    const told = listener?.(news)
    if (told instanceof Promise) told.catch(fail)
  } catch (error) {
    fail(error)
  }
}
