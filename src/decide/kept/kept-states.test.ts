import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Tensor } from '../../backends/backend.ts'
import { KeptStates } from './kept-states.ts'
import type { KeysAndValues } from './keys-and-values.ts'

/** Keys and values of so many bytes, none of which is 0. */
function makeState(bytes = 64): KeysAndValues {
  const tensor = (): Tensor => ({ type: 'float32', dims: [1, bytes / 8], data: new Float32Array(bytes / 8).fill(1) })
  return { key_0: tensor(), value_0: tensor() }
}

function isZero(state: KeysAndValues): boolean {
  return Object.values(state).every(({ data }) => [...data].every((value) => value === 0))
}

const freed: KeysAndValues[] = []
const maker = { free: (state: KeysAndValues) => void freed.push(state) }
const keptOf = (bytes: number, seconds = 60) => new KeptStates({ bytes, seconds })

beforeEach(() => void freed.splice(0))
afterEach(() => void vi.useRealTimers())

describe('kept states', () => {
  it('are lent to several at a time, and wiped once, with the last use', () => {
    const kept = keptOf(64)
    const state = makeState()
    kept.keep('a', maker, state)
    const [first, second] = [kept.borrow('a')!, kept.borrow('a')!]
    expect([first.state, second.state]).toEqual([state, state])
    kept.forget(maker)
    expect(kept.borrow('a')).toBeUndefined()
    first.giveBack()
    first.giveBack()
    expect([isZero(state), freed, kept.size]).toEqual([false, [], { bytes: 64, windows: 0 }])
    second.giveBack()
    expect([isZero(state), freed, kept.size]).toEqual([true, [state], { bytes: 0, windows: 0 }])
  })

  it('make room by the ones that were not used for longest', () => {
    const kept = keptOf(128)
    const [a, b, c] = [makeState(), makeState(), makeState()]
    kept.keep('a', maker, a)
    kept.keep('b', maker, b)
    kept.borrow('a')!.giveBack()
    kept.keep('c', maker, c)
    expect(freed).toEqual([b])
    expect([isZero(a), isZero(b), isZero(c)]).toEqual([false, true, false])
    expect(kept.size).toEqual({ bytes: 128, windows: 2 })
  })

  it('never take more than their bytes: what finds no room beside those in use is wiped', () => {
    const kept = keptOf(128)
    const [a, b, c] = [makeState(), makeState(), makeState()]
    kept.keep('a', maker, a)
    kept.keep('b', maker, b)
    const loans = [kept.borrow('a')!, kept.borrow('b')!]
    kept.keep('c', maker, c)
    expect([isZero(c), freed]).toEqual([true, [c]])
    const large = makeState(256)
    for (const { giveBack } of loans) giveBack()
    kept.keep('d', maker, large)
    expect([isZero(large), kept.size]).toEqual([true, { bytes: 128, windows: 2 }])
  })

  it('keep the first of two of one name', () => {
    const kept = keptOf(128)
    const [first, second] = [makeState(), makeState()]
    kept.keep('a', maker, first)
    kept.keep('a', maker, second)
    expect([isZero(first), isZero(second), kept.size.bytes]).toEqual([false, true, 64])
    expect(kept.borrow('a')?.state).toBe(first)
  })

  it('are wiped when their time is over, though nobody asks', () => {
    vi.useFakeTimers()
    const kept = keptOf(128, 10)
    const [a, b] = [makeState(), makeState()]
    kept.keep('a', maker, a)
    vi.advanceTimersByTime(6000)
    kept.keep('b', maker, b)
    vi.advanceTimersByTime(3990)
    expect([isZero(a), isZero(b)]).toEqual([false, false])
    vi.advanceTimersByTime(20)
    expect([isZero(a), isZero(b)]).toEqual([true, false])
    vi.advanceTimersByTime(3000)
    kept.borrow('b')!.giveBack()
    vi.advanceTimersByTime(9000)
    expect(isZero(b)).toBe(false)
    vi.advanceTimersByTime(1001)
    expect([isZero(b), kept.size, vi.getTimerCount()]).toEqual([true, { bytes: 0, windows: 0 }, 0])
  })

  it('of one session go with it, those of others stay', () => {
    const kept = keptOf(128)
    const [a, b] = [makeState(), makeState()]
    kept.keep('a', maker, a)
    kept.keep('b', { free: () => {} }, b)
    kept.forget(maker)
    expect([isZero(a), isZero(b), kept.size.windows]).toEqual([true, false, 1])
  })

  it('have names that depend on all that tells them apart, and tell nothing', async () => {
    const kept = keptOf(64)
    const names = await Promise.all([
      kept.nameOf(maker, 'ana', [1, 2]),
      kept.nameOf(maker, 'bob', [1, 2]),
      kept.nameOf(maker, '', [1, 2]),
      kept.nameOf(maker, 'ana', [12]),
      kept.nameOf({ free: () => {} }, 'ana', [1, 2]),
      keptOf(64).nameOf(maker, 'ana', [1, 2]),
    ])
    expect(new Set(names).size).toBe(names.length)
    expect(await kept.nameOf(maker, 'ana', [1, 2])).toBe(names[0])
    expect(names[0]).toMatch(/^[0-9a-f]{64}$/)
  })
})
