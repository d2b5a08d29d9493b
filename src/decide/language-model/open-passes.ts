import type { Backend, Feeds, Session, Tensor } from '../../backends/backend.ts'
import { buildCacheExtender, type CacheShape, layerNames, type LanguageModelOptions } from '../../graph/index.ts'
import type { BuiltGraph } from '../../onnx/built-graph.ts'
import { int64 } from '../int64-tensor.ts'
import { DeviceKvCache } from './device-kv-cache.ts'
import { cacheLengths, KvCache } from './kv-cache.ts'
import { CHUNK } from './passes.ts'
import type { StateCache } from './state-cache.ts'

/** What fills caches of one model, and where they are. */
interface Prefill {
  /** Lengths of the arrays that a cache of at most `capacity` rows works in; none where it stays on the device. */
  lengths(capacity: number): number[]
  /** @param memory arrays of these lengths */
  openCache(capacity: number, memory: readonly Float32Array[]): StateCache
}

/** The passes of one model: over a state, and over questions behind it. */
export interface Passes {
  readonly prefill: Prefill
  readonly branch: Session
  /** Safe to call twice. */
  dispose(): Promise<void>
}

export interface PassesOptions {
  readonly build: (graph: LanguageModelOptions['graph']) => BuiltGraph
  readonly shape: CacheShape
  /** Constant feeds of the head. */
  readonly head: Readonly<Record<string, Tensor>>
}

/**
 * Opens the sessions that passes run in. A processor has one for both kinds, since each would have packed weights of its own.
 * Devices have two: their attention is slower with a bias, and caches stay on the device where the backend can leave them there.
 */
export async function openPasses(backend: Backend, options: PassesOptions): Promise<Passes> {
  if (backend.selfTest === undefined) return openShared(backend, options)
  const { createDeviceSession } = backend
  return createDeviceSession === undefined
    ? openSeparate(backend, options)
    : openOnDevice(backend, createDeviceSession, options)
}

async function openShared(backend: Backend, { build, shape, head }: PassesOptions): Promise<Passes> {
  const session = await backend.createSession(build('both'))
  const kept = layerNames(shape.layers)
  const read = session.outputNames.filter((name) => !kept.includes(name))
  // One row has to be read, and nobody asks what it says.
  const unread = { ...head, rows: int64([0], [1]) }
  return {
    prefill: {
      lengths: (capacity) => [...cacheLengths(shape, capacity), Math.min(CHUNK, capacity) * capacity],
      openCache(capacity, memory) {
        const zeros = memory.at(-1)!.fill(0)
        const run: Session['run'] = (feeds) => session.run({ ...feeds, ...unread, ...seeAll(zeros, feeds) }, kept)
        return new KvCache({ ...session, run }, shape, capacity, memory)
      },
    },
    branch: { ...session, run: (feeds) => session.run(feeds, read) },
    dispose: () => session.dispose(),
  }
}

async function openSeparate(backend: Backend, { build, shape }: PassesOptions): Promise<Passes> {
  const prefill = await backend.createSession(build('prefill'))
  const branch = await backend.createSession(build('branch'))
  return {
    prefill: {
      lengths: (capacity) => cacheLengths(shape, capacity),
      openCache: (capacity, memory) => new KvCache(prefill, shape, capacity, memory),
    },
    branch,
    dispose: () => disposeAll([prefill, branch]),
  }
}

async function openOnDevice(
  backend: Backend,
  createDeviceSession: NonNullable<Backend['createDeviceSession']>,
  { build, shape }: PassesOptions,
): Promise<Passes> {
  const prefill = await createDeviceSession(build('prefill'))
  const extender = await createDeviceSession(buildCacheExtender(shape))
  const branch = await backend.createSession(build('branch'))
  return {
    prefill: { lengths: () => [], openCache: () => new DeviceKvCache(prefill, extender, shape) },
    branch,
    dispose: () => disposeAll([prefill, extender, branch]),
  }
}

async function disposeAll(sessions: readonly Pick<Session, 'dispose'>[]): Promise<void> {
  for (const session of sessions) await session.dispose()
}

/** The bias of a prefill pass, which blocks nothing that the causal mask does not. */
function seeAll(zeros: Float32Array, feeds: Feeds): Record<string, Tensor> {
  const tokens = feeds['input_ids']!.dims[1]!
  const total = (feeds['total_sequence_length'] as Tensor).data[0] as number
  const data = zeros.subarray(0, tokens * total)
  return { attention_bias: { type: 'float32', dims: [1, 1, tokens, total], data } }
}
