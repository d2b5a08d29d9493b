import { abortedBy } from '../errors/aborted-by.ts'
import { SignalListeners } from './signal-listeners.ts'

/**
 * What some work comes to, unless the signal fires before: the work goes on then, and only the wait ends.
 *
 * @param listeners of all who wait with that signal, where they may be many
 * @throws AbortedError as soon as the signal fires; where it has already, nothing is started
 */
export function unlessAborted<T>(
  start: () => Promise<T>,
  signal: AbortSignal,
  listeners = new SignalListeners(),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(abortedBy(signal))
    if (signal.aborted) return giveUp()
    const stopListening = listeners.add(signal, giveUp)
    start().then(resolve, reject).finally(stopListening)
  })
}
