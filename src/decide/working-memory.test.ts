import { expect, it } from 'vitest'
import { WorkingMemory } from './working-memory.ts'

it('lends what was given back, however it is cut', () => {
  const memory = new WorkingMemory()
  const first = memory.lend([3, 5])
  first.arrays[1]![0] = 7
  first.giveBack()
  const {
    arrays: [all],
  } = memory.lend([8])
  expect(all).toEqual(Float32Array.of(0, 0, 0, 7, 0, 0, 0, 0))
})

it('lends memory of their own to two at the same time', () => {
  const memory = new WorkingMemory()
  const [one, other] = [memory.lend([4]), memory.lend([4])]
  one.arrays[0]!.fill(1)
  expect(other.arrays[0]).toEqual(new Float32Array(4))
})

it('keeps the larger of two', () => {
  const memory = new WorkingMemory()
  const [large, small] = [memory.lend([9]), memory.lend([2])]
  large.arrays[0]!.fill(1)
  large.giveBack()
  small.giveBack()
  expect(memory.lend([9]).arrays[0]!.every((value) => value === 1)).toBe(true)
})

it('makes what is larger than it keeps anew each time, and frees it at once', () => {
  const memory = new WorkingMemory()
  const large = memory.lend([2 ** 23, 1])
  large.arrays[1]![0] = 7
  large.giveBack()
  expect(large.arrays.map(({ length }) => length)).toEqual([0, 0])
  expect(memory.lend([2 ** 23, 1]).arrays[1]![0]).toBe(0)
})
