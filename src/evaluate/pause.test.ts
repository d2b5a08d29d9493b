import { describe, expect, it } from 'vitest'
import { fitHead, type HeadedOutcome } from './fit-head.ts'
import { fitQuestion } from './fit-question.ts'

const WIDTH = 48

/** So many that a fit takes some tenths of a second. */
function makeOutcomes(rows: number): HeadedOutcome[] {
  let state = 7
  const draw = () => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) / 2 ** 32
  return Array.from({ length: rows }, (_, index) => {
    const odds = Array.from({ length: 26 }, (_one, option) => (option === index % 26 ? 3 : 1) * (0.1 + draw()))
    const sum = odds.reduce((total, one) => total + one)
    return {
      type: 'choice',
      probabilities: odds.map((one) => one / sum),
      gold: index % 26,
      features: Float32Array.from({ length: 27 * WIDTH }, () => draw() - 0.5),
    }
  })
}

const FITS = {
  head: (signal?: AbortSignal) => fitHead(makeOutcomes(400), 0.001, { tolerance: 0, steps: 30, signal }),
  question: (signal?: AbortSignal) => fitQuestion(makeOutcomes(2000), signal),
}

describe.each(Object.entries(FITS))('a fit of a %s', (_, fit) => {
  it('ends on its way when its signal says so', async () => {
    const controller = new AbortController()
    setTimeout(() => controller.abort())
    await expect(fit(controller.signal)).rejects.toMatchObject({ code: 'aborted' })
  })

  it('gives others their turn', async () => {
    let turns = 0
    const timer = setInterval(() => turns++)
    await fit()
    clearInterval(timer)
    expect(turns).toBeGreaterThan(2)
  })
})
