import { expect, it } from 'vitest'
import { bytesForBodies } from './body-rooms.ts'

const MIB = 2 ** 20

it.each([
  ['256 MiB', 4096, 256],
  ['a quarter of a small memory', 512, 128],
  ['as much as the longest body takes', 256, 96],
])('bodies have %s, unless the settings say how much', (_, memory, bytes) => {
  expect(bytesForBodies(32 * MIB, undefined, memory * MIB)).toBe(bytes * MIB)
  expect(bytesForBodies(32 * MIB, 1000 * MIB, memory * MIB)).toBe(1000 * MIB)
})

it('a body that would not fit is told of, however much memory there is', () => {
  const reason = `maxBufferedBytes: must be at least ${300 * MIB}, as the largest body takes so many`
  expect(() => bytesForBodies(100 * MIB, undefined, 4096 * MIB)).toThrow(reason)
})
