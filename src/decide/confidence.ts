/**
 * Confidence is a summary of spread, not a probability of being right: 1 when all mass sits on one option, 0 when it is
 * spread evenly. The formulas are the category's published ones (spec section 2.6; System One's confidence).
 */

const ROUNDING = 1e-12

function clamp(value: number): number {
  if (value < ROUNDING) return 0
  return value > 1 - ROUNDING ? 1 : value
}

/** choice: `(max − 1/K) / (1 − 1/K)` over K options. */
export function choiceConfidence(probabilities: readonly number[]): number {
  const even = 1 / probabilities.length
  return clamp((Math.max(...probabilities) - even) / (1 - even))
}

/** noul: `|2p − 1|`, which is the choice formula at two options. */
export function noulConfidence(yes: number): number {
  return clamp(Math.abs(2 * yes - 1))
}

/**
 * score: `1 − Σ pᵢ·|i − mode| / D`, not below 0, with D the same mean distance under the uniform law seen from the middle.
 * On tied modes the smaller result counts, so that reversing the levels changes nothing.
 */
export function scoreConfidence(probabilities: readonly number[]): number {
  const count = probabilities.length
  const middle = (count - 1) / 2
  const even = probabilities.reduce((sum, _, index) => sum + Math.abs(index - middle), 0) / count
  const top = Math.max(...probabilities)
  const results = probabilities.flatMap((probability, mode) => {
    if (top - probability > ROUNDING) return []
    const distance = probabilities.reduce((sum, p, index) => sum + p * Math.abs(index - mode), 0)
    return [clamp(1 - distance / even)]
  })
  return Math.min(...results)
}
