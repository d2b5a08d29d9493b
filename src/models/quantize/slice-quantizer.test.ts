import type threads from 'node:worker_threads'
import { afterEach, expect, it, vi } from 'vitest'
import { SliceQuantizer } from './slice-quantizer.ts'

const { started, most } = vi.hoisted(() => ({ started: [] as threads.Worker[], most: { threads: Infinity } }))

vi.mock('node:worker_threads', async (original) => {
  const real = await original<typeof threads>()
  class Worker extends real.Worker {
    constructor(...given: ConstructorParameters<typeof real.Worker>) {
      if (started.length === most.threads) throw new Error('no room for a thread')
      super(...given)
      started.push(this)
    }
  }
  return { ...real, Worker }
})

const slice = { bytes: new Uint8Array(16), dtype: 'F32', width: 4, bits: 8, blockSize: 16 } as const

afterEach(async () => {
  await Promise.all(started.splice(0).map((worker) => worker.terminate()))
  most.threads = Infinity
})

it('gives a slice to no thread that ended while it had nothing to do', async () => {
  const quantizer = new SliceQuantizer(2)
  await expect(quantizer.quantize(slice)).resolves.toBeDefined()
  const cause = new Error('out of memory')
  started[0]!.emit('error', cause)
  await started[0]!.terminate()
  await expect(quantizer.quantize(slice)).rejects.toMatchObject({
    code: 'internal_error',
    message: expect.stringContaining('a thread that quantises ended'),
    cause,
  })
  await quantizer.close()
})

it('ends the threads that it has where another one cannot be started', async () => {
  most.threads = 2
  expect(() => new SliceQuantizer(3)).toThrow('no room for a thread')
  expect(started).toHaveLength(2)
  // The number of a thread that has ended.
  await expect.poll(() => started.map(({ threadId }) => threadId)).toEqual([-1, -1])
})
