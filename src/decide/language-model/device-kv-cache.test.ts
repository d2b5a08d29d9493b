import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { type DeviceSession, type DeviceTensor, type Feeds, type Session, type Tensor } from '../../backends/index.ts'
import { buildCacheExtender } from '../../graph/index.ts'
import { DeviceKvCache } from './device-kv-cache.ts'

const SHAPE = { layers: 1, heads: 2, headDim: 2, precision: 'float32' } as const

/** Results that "stay on the device": here in a set, which shows what is never freed. */
function keepResults(session: Session, kept: Map<DeviceTensor, Tensor>): DeviceSession {
  const toHost = (feeds: Feeds) =>
    Object.fromEntries(
      Object.entries(feeds).map(([name, feed]) => {
        if (!('location' in feed)) return [name, feed]
        const tensor = kept.get(feed)
        if (tensor === undefined) throw new Error(`${name} was freed or never kept`)
        return [name, tensor]
      }),
    )
  return {
    ...session,
    async run(feeds) {
      const results = Object.entries(await session.run(toHost(feeds)))
      return Object.fromEntries(
        results.map(([name, tensor]) => {
          const handle = { type: tensor.type, dims: tensor.dims, location: 'device' } as const
          kept.set(handle, tensor)
          return [name, handle]
        }),
      )
    },
    async free(results) {
      for (const result of Object.values(results)) if (!kept.delete(result)) throw new Error('freed twice')
    },
  }
}

/** Rows of a pass, [1, heads, rows, headDim]. */
const rows = (...data: number[]): Tensor => ({
  type: 'float32',
  dims: [1, SHAPE.heads, data.length / 4, SHAPE.headDim],
  data: Float32Array.from(data),
})

async function open(...passes: (Record<string, Tensor> | Error)[]) {
  const backend = await cpuBackend()
  const kept = new Map<DeviceTensor, Tensor>()
  const fed: Feeds[] = []
  const prefill = keepResults(
    {
      inputNames: ['past_key.0'],
      outputNames: [],
      async run(feeds) {
        fed.push(feeds)
        const pass = passes.shift()!
        if (pass instanceof Error) throw pass
        return pass
      },
      free() {},
      dispose: async () => {},
    },
    kept,
  )
  const extender = keepResults(await backend.createSession(buildCacheExtender(SHAPE)), kept)
  /** What a branch pass would be fed. */
  async function see(cache: DeviceKvCache) {
    let seen: Record<string, Tensor> = {}
    const session = {
      inputNames: ['past_key.0', 'past_value.0'],
      run: async (feeds: Feeds) => {
        seen = Object.fromEntries(Object.entries(feeds).map(([name, feed]) => [name, kept.get(feed as DeviceTensor)!]))
        return {}
      },
    }
    await cache.read(session as unknown as Session, {})
    return seen
  }
  return { cache: new DeviceKvCache(prefill, extender, SHAPE), kept, fed, see }
}

const FIRST = { 'key.0': rows(1, 2, 5, 6), 'value.0': rows(10, 20, 50, 60) }
const SECOND = { 'key.0': rows(3, 4, 9, 9, 7, 8, 9, 9), 'value.0': rows(1, 1, 1, 1, 1, 1, 1, 1) }

describe('DeviceKvCache', () => {
  it('keeps the rows of a pass behind those of earlier ones, head by head, and nothing beside them', async () => {
    const { cache, kept, fed, see } = await open(FIRST, SECOND)
    await cache.extend({}, 0)
    expect((fed[0]!['past_key.0'] as Tensor).dims).toEqual([1, 2, 1, 2])
    await cache.extend({}, 1)
    const seen = await see(cache)
    expect(seen['past_key.0']).toMatchObject({
      dims: [1, 2, 3, 2],
      data: Float32Array.of(1, 2, 3, 4, 9, 9, 5, 6, 7, 8, 9, 9),
    })
    expect([...seen['past_value.0']!.data]).toEqual([10, 20, 1, 1, 1, 1, 50, 60, 1, 1, 1, 1])
    expect(kept.size).toBe(2)
    await cache.clear()
    await cache.clear()
    expect(kept.size).toBe(0)
  })

  it('begins anew where nothing went before', async () => {
    const { cache, kept, see } = await open(FIRST, SECOND)
    await cache.extend({}, 0)
    await cache.extend({}, 0)
    expect([...(await see(cache))['past_key.0']!.data]).toEqual([3, 4, 9, 9, 7, 8, 9, 9])
    expect(kept.size).toBe(2)
  })

  it('leaves nothing behind when a pass fails', async () => {
    const { cache, kept } = await open(FIRST, new Error('device lost'))
    await cache.extend({}, 0)
    await expect(cache.extend({}, 1)).rejects.toThrow('device lost')
    await cache.clear()
    expect(kept.size).toBe(0)
  })
})
