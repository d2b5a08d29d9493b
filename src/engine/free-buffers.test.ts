import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freeBuffers } from './free-buffers.ts'

const BYTES = 50 * 2 ** 20

it('gives the memory of bytes back without a collection, wherever they are in a value', async () => {
  const picture = new Uint8Array(BYTES).fill(1)
  const mask = picture.subarray(10, 20)
  const before = process.memoryUsage().arrayBuffers
  freeBuffers({ request: { images: ['text', picture], mask, prompt: 'a', n: 1, nothing: null } })
  await sleep(50)
  expect(picture.byteLength).toBe(0)
  expect(mask.byteLength).toBe(0)
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(BYTES / 2)
})

it('leaves memory that threads share, and values without bytes, as they are', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8))
  const value = { shared, text: 'a', list: [1, undefined] }
  freeBuffers(value)
  expect(value).toEqual({ shared, text: 'a', list: [1, undefined] })
  expect(shared.byteLength).toBe(8)
})
