/**
 * Tells the caller's own code of something. What that throws goes to `fail`, also later where it is an async function: nobody
 * else would hear of it, and a promise that is rejected unheard ends the process. Neither may `fail` throw, then.
 */
export function tell<News>(
  listener: ((news: News) => unknown) | undefined,
  news: News,
  fail: (error: unknown) => void,
): void {
  try {
    const told = listener?.(news)
    promiseOf(told)?.catch(fail)
  } catch (error) {
    fail(error)
  }
}

/** What a listener has begun, where that takes time. Queries of databases begin when they are waited for, so they are. */
export function promiseOf(told: unknown): Promise<unknown> | undefined {
  const { then } = (told ?? {}) as { readonly then?: unknown }
  return typeof then === 'function' ? Promise.resolve(told) : undefined
}

/** Says what the caller's own code has thrown when nothing was left that could end with it. */
export function warnOf(error: unknown): void {
  const { process: node } = globalThis as { readonly process?: Partial<NodeJS.Process> }
  if (node?.emitWarning === undefined) return reportError(error)
  node.emitWarning(error instanceof Error ? error : String(error), 'TesseraListenerWarning')
}
