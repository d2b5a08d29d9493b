/** The next token as two models see it. */
export interface TokenComparison {
  /** 1 where the token that the model finds likeliest is the text's, else 0. */
  readonly right: number
  readonly rightInFloat: number
  /** 1 where both find the same one likeliest, else 0. */
  readonly same: number
  /** Kullback-Leibler divergence from the float model, in nats. */
  readonly divergence: number
}

/**
 * Compares two models at every place of a text but the last, behind which there is no token.
 *
 * @param float logits [tokens, vocabulary] of the model with float weights
 * @param other those of the other one
 */
export function compareLogits(float: Float32Array, other: Float32Array, text: readonly number[]): TokenComparison[] {
  const width = float.length / text.length
  return text.slice(1).map((token, place) => {
    const [wanted, got] = [float, other].map((logits) => logits.subarray(place * width, (place + 1) * width))
    const [best, bestOther] = [likeliest(wanted!), likeliest(got!)]
    return {
      right: Number(bestOther === token),
      rightInFloat: Number(best === token),
      same: Number(best === bestOther),
      divergence: diverge(wanted!, got!),
    }
  })
}

function likeliest(logits: Float32Array): number {
  let best = 0
  for (let i = 1; i < logits.length; i++) if (logits[i]! > logits[best]!) best = i
  return best
}

function diverge(wanted: Float32Array, got: Float32Array): number {
  const [a, b] = [logSum(wanted), logSum(got)]
  let sum = 0
  for (let i = 0; i < wanted.length; i++) sum += Math.exp(wanted[i]! - a) * (wanted[i]! - a - (got[i]! - b))
  return sum
}

function logSum(logits: Float32Array): number {
  const most = logits[likeliest(logits)]!
  let sum = 0
  for (const logit of logits) sum += Math.exp(logit - most)
  return most + Math.log(sum)
}
