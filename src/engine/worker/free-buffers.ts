import { giveUp } from '../../backends/give-up.ts'

/**
 * Frees at once the memory behind those of the values that are bytes: what a collector sees of 30 MB is one small object,
 * which it may leave for long. Nobody can read them afterwards, so they must belong to this thread alone.
 */
export function freeBuffers(values: readonly unknown[]): void {
  const buffers = new Set<ArrayBuffer>()
  for (const value of values) {
    if (ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer) buffers.add(value.buffer)
  }
  giveUp([...buffers])
}
