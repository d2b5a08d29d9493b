import { callback, readOption, withMethods } from '../options/index.ts'

const SIGNAL = withMethods<AbortSignal>('an AbortSignal', 'addEventListener').optional()
const ON_PROGRESS = callback().optional()

/**
 * Checks what JavaScript lets through, before the call has a place in the queue.
 *
 * @throws InvalidRequestError naming the option
 */
export function checkCall(signal: unknown, onProgress: unknown): void {
  readOption('signal', SIGNAL, signal)
  readOption('onProgress', ON_PROGRESS, onProgress)
}
