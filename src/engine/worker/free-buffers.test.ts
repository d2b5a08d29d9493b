import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { freeBuffers } from './free-buffers.ts'

const BYTES = 50 * 2 ** 20

it('gives the memory of bytes back without a collection', async () => {
  const picture = new Uint8Array(BYTES).fill(1)
  const mask = picture.subarray(10, 20)
  const before = process.memoryUsage().arrayBuffers
  freeBuffers(['text', picture, mask, undefined])
  await sleep(50)
  expect(picture.byteLength).toBe(0)
  expect(mask.byteLength).toBe(0)
  expect(before - process.memoryUsage().arrayBuffers).toBeGreaterThan(BYTES / 2)
})

it('leaves memory that threads share as it is', () => {
  const shared = new Uint8Array(new SharedArrayBuffer(8))
  freeBuffers([shared, 'a', undefined])
  expect(shared.byteLength).toBe(8)
})
