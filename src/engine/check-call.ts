import { callback, readOption, withMethods } from '../options/index.ts'
import type { ListeningOptions } from './call-options.ts'

const SIGNAL = withMethods<AbortSignal>('an AbortSignal', 'addEventListener').optional()
const CALLBACK = callback().optional()

/**
 * Checks what JavaScript lets through, before the call has a place in the queue.
 *
 * @throws InvalidRequestError naming the option
 */
export function checkCall({ signal, onProgress, onPreview, onTimings }: ListeningOptions): void {
  readOption('signal', SIGNAL, signal)
  readOption('onProgress', CALLBACK, onProgress)
  readOption('onPreview', CALLBACK, onPreview)
  readOption('onTimings', CALLBACK, onTimings)
}
