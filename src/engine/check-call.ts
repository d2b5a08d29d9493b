import { callback, oneOf, readOption, withMethods } from '../options/index.ts'
import type { ListeningOptions } from './call-options.ts'

const SIGNAL = withMethods<AbortSignal>('an AbortSignal', 'addEventListener').optional()
const CALLBACK = callback().optional()
const PRIORITY = oneOf(['normal', 'half']).optional()

/**
 * Checks what JavaScript lets through, before the call has a place in the queue.
 *
 * @throws InvalidRequestError naming the option
 */
export function checkCall({ signal, priority, onProgress, onPreview, onTimings }: ListeningOptions): void {
  readOption('signal', SIGNAL, signal)
  readOption('priority', PRIORITY, priority)
  readOption('onProgress', CALLBACK, onProgress)
  readOption('onPreview', CALLBACK, onPreview)
  readOption('onTimings', CALLBACK, onTimings)
}
