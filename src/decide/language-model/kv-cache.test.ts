import { describe, expect, it } from 'vitest'
import type { Feeds, Session, Tensor } from '../../backends/backend.ts'
import { cacheLengths, KvCache } from './kv-cache.ts'

const SHAPE = { layers: 1, heads: 2, headDim: 2, precision: 'float32' } as const
const CAPACITY = 3

/** A session that writes down what it is fed and answers with `outputs`. */
function fake(inputNames: readonly string[], outputs: Record<string, Tensor>) {
  const fed: Feeds[] = []
  const freed: Tensor[] = []
  const session: Session = {
    inputNames,
    outputNames: Object.keys(outputs),
    run: async (feeds) => {
      fed.push(feeds)
      return outputs
    },
    free: (results) => void freed.push(...Object.values(results)),
    dispose: async () => {},
  }
  return { session, fed, freed }
}

/** Rows of a pass, [1, heads, rows, headDim]. */
const rows = (...data: number[]): Tensor => ({
  type: 'float32',
  dims: [1, SHAPE.heads, data.length / 4, SHAPE.headDim],
  data: Float32Array.from(data),
})

/** A cache whose passes put out `passes`, one after the other. */
function open(...passes: Record<string, Tensor>[]) {
  const memory = cacheLengths(SHAPE, CAPACITY).map((length) => new Float32Array(length))
  const { session, freed } = fake([], {})
  const prefill: Session = { ...session, run: async () => passes.shift()! }
  return { memory, freed, cache: new KvCache(prefill, SHAPE, CAPACITY, memory) }
}

describe('KvCache', () => {
  it('keeps the rows of a pass behind those of earlier ones, head by head, and leaves no second copy', async () => {
    const [first, second] = [rows(1, 2, 5, 6), rows(3, 4, 9, 9, 7, 8, 9, 9)]
    const { memory, freed, cache } = open(
      { 'key.0': first, 'value.0': rows(0, 0, 0, 0) },
      { 'key.0': second, 'value.0': rows(1, 1, 1, 1, 1, 1, 1, 1) },
    )
    await cache.extend({}, 0)
    await cache.extend({}, 1)
    expect(memory[0]).toEqual(Float32Array.of(1, 2, 3, 4, 9, 9, 5, 6, 7, 8, 9, 9))
    expect(memory[1]).toEqual(Float32Array.of(0, 0, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1))
    expect([...first.data, ...second.data].every((value) => value === 0)).toBe(true)
    expect(freed).toEqual(expect.arrayContaining([first, second]))
  })

  it('feeds a graph the layers that it names, beside its own feeds', async () => {
    const { memory, cache } = open()
    const { session, fed } = fake(['past_key.0', 'ids'], {})
    await cache.read(session, { ids: rows(1, 1, 1, 1) })
    expect(Object.keys(fed[0]!)).toEqual(['ids', 'past_key.0'])
    expect(fed[0]!['past_key.0']).toEqual({ type: 'float32', dims: [1, 2, CAPACITY, 2], data: memory[0] })
  })

  it('gives copies of its first rows, which another one of the same model begins with', async () => {
    const { memory, cache } = open({ 'key.0': rows(1, 2, 3, 4, 5, 6, 7, 8), 'value.0': rows(1, 1, 1, 1, 1, 1, 1, 1) })
    await cache.extend({}, 0)
    const copy = cache.copies.make(2)
    expect(copy['key.0']).toEqual(rows(1, 2, 3, 4, 5, 6, 7, 8))
    expect(cache.copies.weigh(2)).toBe(64)
    await cache.clear()
    const other = open()
    other.cache.copies.restore(copy)
    expect(other.memory[0]).toEqual(Float32Array.of(1, 2, 3, 4, 0, 0, 5, 6, 7, 8, 0, 0))
    expect(memory[0]).toEqual(new Float32Array(12))
  })

  it('clears what it keeps', async () => {
    const { memory, cache } = open({ 'key.0': rows(1, 2, 5, 6), 'value.0': rows(1, 2, 5, 6) })
    await cache.extend({}, 2)
    await cache.clear()
    expect(memory).toEqual([new Float32Array(12), new Float32Array(12)])
  })
})
