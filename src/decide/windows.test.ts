import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { writeTinyBundle, TINY_MANIFEST } from '../../test/helpers/tiny-bundle.ts'
import { openFolder } from '../models/files/model-folder.ts'
import { parseDecisionRequest } from '../schemas/index.ts'
import { toProbabilities } from './calibrate.ts'
import { openDecider } from './index.ts'
import { poolWindows, splitWindows } from './windows.ts'

describe('splitWindows', () => {
  it('leaves a state that fits whole', () => {
    expect(splitWindows(0, 100, 10)).toEqual([{ start: 0, end: 0 }])
    expect(splitWindows(100, 100, 10)).toEqual([{ start: 0, end: 100 }])
    expect(splitWindows(101, 100, 10)).toHaveLength(2)
  })

  it('covers every token in windows that fit and overlap as asked', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60_000 }), fc.integer({ min: 64, max: 2000 }), (length, size) => {
        const overlap = Math.floor(size / 8)
        const windows = splitWindows(length, size, overlap)
        expect(windows[0]?.start).toBe(0)
        expect(windows.at(-1)?.end).toBe(length)
        for (const [index, { start, end }] of windows.entries()) {
          expect(end - start).toBeLessThanOrEqual(size)
          const before = windows[index - 1]
          if (before) expect(before.end - start).toBeGreaterThanOrEqual(overlap - 1)
        }
      }),
    )
  })
})

describe('poolWindows', () => {
  const even = Float64Array.of(0.1, 0, 0.05)
  const sure = Float64Array.of(-2, 3, -1)

  it('keeps the logits of a single window', () => {
    expect(poolWindows([sure], 4)).toEqual(sure)
  })

  it('follows the window that found something, wherever it stands', () => {
    for (const windows of [
      [sure, even, even],
      [even, sure, even],
      [even, even, sure],
    ]) {
      expect(toProbabilities(poolWindows(windows, 8))[1]).toBeGreaterThan(0.9)
    }
  })

  it('is the mean of logits at sharpness 0', () => {
    const pooled = poolWindows([even, sure], 0)
    expect(pooled[0]).toBeCloseTo(-0.95, 12)
  })
})

describe('a state longer than the window', () => {
  it('is read whole: evidence at any depth changes the answer, and usage counts it once', async () => {
    const backend = await cpuBackend()
    const folder = await writeTinyBundle({
      manifest: { ...TINY_MANIFEST, window: { tokens: 200, overlap: 20, sharpness: 4 } },
    })
    const decider = await openDecider({ backend, files: openFolder(folder) })
    const requestOf = (state: string) =>
      parseDecisionRequest({ state, questions: { q: { type: 'noul', instructions: 'Is it late?' } } })
    const ask = (state: string) => decider.decide(requestOf(state), { turn: async () => {} })
    const filler = 'filler: '.repeat(125)
    const plain = await ask(filler)
    expect(plain.usage.input_tokens).toBe(1000 + decider.countTokens(requestOf('')).input_tokens)
    for (const depth of [10, 480, 950]) {
      const { answers } = await ask(`${filler.slice(0, depth)}LATE!!!!${filler.slice(depth + 8)}`)
      expect(answers['q']).not.toEqual(plain.answers['q'])
    }
    await decider.dispose()
  })
})
