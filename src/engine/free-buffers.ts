import { MessageChannel } from 'node:worker_threads'

/**
 * Frees at once the memory behind those of the values that are bytes: what a collector sees of 30 MB is one small object,
 * which it may leave for long. Nobody can read them afterwards, so they must belong to this thread alone.
 */
export function freeBuffers(values: readonly unknown[]): void {
  const buffers = new Set<ArrayBuffer>()
  for (const value of values) {
    if (ArrayBuffer.isView(value) && value.buffer instanceof ArrayBuffer) buffers.add(value.buffer)
  }
  if (buffers.size === 0) return
  // Node 20 has no call that frees memory; what is moved to a port that nobody holds is freed.
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.postMessage(undefined, [...buffers])
  port1.close()
}
