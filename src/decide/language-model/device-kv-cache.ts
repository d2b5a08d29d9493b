import type { DeviceSession, DeviceTensor, Feeds, Session, Tensor } from '../../backends/backend.ts'
import { type CacheShape, layerNames } from '../../graph/index.ts'
import { feedPast, type StateCache } from './state-cache.ts'

/** A cache in the memory of the device, exactly as long as what was read, so that nothing of it crosses to JS and back. */
export class DeviceKvCache implements StateCache {
  readonly #prefill: DeviceSession
  readonly #extender: DeviceSession
  readonly #shape: CacheShape
  #rows: Readonly<Record<string, DeviceTensor>> = {}

  /** `extender` is a graph of `buildCacheExtender`. */
  constructor(prefill: DeviceSession, extender: DeviceSession, shape: CacheShape) {
    this.#prefill = prefill
    this.#extender = extender
    this.#shape = shape
  }

  async extend(feeds: Feeds, past: number): Promise<void> {
    if (past === 0) {
      await this.clear()
      this.#rows = await this.#prefill.run({ ...feeds, ...feedPast(this.#prefill, this.#nothing()) })
      return
    }
    const added = await this.#prefill.run({ ...feeds, ...feedPast(this.#prefill, this.#rows) })
    try {
      const longer = await this.#extender.run({ ...added, ...feedPast(this.#extender, this.#rows) })
      await this.#replace(Object.fromEntries(Object.keys(added).map((name) => [name, longer[`longer_${name}`]!])))
    } finally {
      await this.#prefill.free(added)
    }
  }

  read(session: Session, feeds: Feeds): Promise<Record<string, Tensor>> {
    return session.run({ ...feeds, ...feedPast(session, this.#rows) })
  }

  clear(): Promise<void> {
    return this.#replace({})
  }

  async #replace(rows: Readonly<Record<string, DeviceTensor>>): Promise<void> {
    const old = this.#rows
    this.#rows = rows
    await this.#prefill.free(old)
  }

  /** A row that is not counted: devices have no tensors without entries. */
  #nothing(): Record<string, Tensor> {
    const { layers, heads, headDim, precision: type } = this.#shape
    const size = heads * headDim
    const data = type === 'float16' ? new Uint16Array(size) : new Float32Array(size)
    return Object.fromEntries(layerNames(layers).map((name) => [name, { type, dims: [1, heads, 1, headDim], data }]))
  }
}
