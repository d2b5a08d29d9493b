import type { Backend } from '../../backends/backend.ts'
import { buildCacheExtender, type CacheShape } from '../../graph/index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { DeviceKvCache } from './device-kv-cache.ts'
import { cacheLengths, KvCache } from './kv-cache.ts'
import type { StateCache } from './state-cache.ts'

/** What fills caches of one model, and where they are. */
export interface Prefill {
  /** Lengths of the arrays that a cache of at most `capacity` rows is made of; none where it stays on the device. */
  lengths(capacity: number): number[]
  /** @param memory arrays of these lengths */
  openCache(capacity: number, memory: readonly Float32Array[]): StateCache
  dispose(): Promise<void>
}

/** Opens a prefill graph. Its caches stay on the device where the backend can leave them there. */
export async function openPrefill(backend: Backend, graph: BuiltGraph, shape: CacheShape): Promise<Prefill> {
  const { createDeviceSession } = backend
  if (createDeviceSession === undefined) {
    const session = await backend.createSession(graph)
    return {
      lengths: (capacity) => cacheLengths(shape, capacity),
      openCache: (capacity, memory) => new KvCache(session, shape, capacity, memory),
      dispose: () => session.dispose(),
    }
  }
  const session = await createDeviceSession(graph)
  const extender = await createDeviceSession(buildCacheExtender(shape))
  return {
    lengths: () => [],
    openCache: () => new DeviceKvCache(session, extender, shape),
    async dispose() {
      await session.dispose()
      await extender.dispose()
    },
  }
}
