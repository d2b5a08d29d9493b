import { callback, flag, oneOf, readOption, withMethods } from '../options/index.ts'
import type { ListeningOptions } from './call-options.ts'

const SIGNAL = withMethods<AbortSignal>('an AbortSignal', 'addEventListener').optional()
const CALLBACK = callback().optional()
const KEEP_STATE = flag.optional()
const PRIORITY = oneOf(['normal', 'half']).optional()

/**
 * Checks what JavaScript lets through, before the call has a place in the queue.
 *
 * @throws InvalidRequestError naming the option
 */
export function checkCall({ signal, priority, keepState, onProgress, onPreview, onTimings }: ListeningOptions): void {
  readOption('signal', SIGNAL, signal)
  readOption('priority', PRIORITY, priority)
  readOption('keepState', KEEP_STATE, keepState)
  readOption('onProgress', CALLBACK, onProgress)
  readOption('onPreview', CALLBACK, onPreview)
  readOption('onTimings', CALLBACK, onTimings)
}
