import { AbortedError } from '../errors/index.ts'

/**
 * What some work comes to, unless the signal fires before: the work goes on then, and only the wait ends.
 *
 * @throws AbortedError as soon as the signal fires; where it has already, nothing is started
 */
export function unlessAborted<T>(start: () => Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new AbortedError(undefined, { cause: signal.reason }))
    if (signal.aborted) return giveUp()
    signal.addEventListener('abort', giveUp, { once: true })
    start()
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', giveUp))
  })
}
