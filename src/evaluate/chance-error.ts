/** Above so many answers their deviation is taken for normal; the mean is then right to a thousandth of itself. */
const MANY = 500

/**
 * How far the number of right answers is, in the mean, from the sum of their probabilities where every probability is right: the mean
 * absolute deviation of a Poisson binomial distribution.
 *
 * @param probabilities that each answer is right, 0 to 1
 */
export function chanceDeviation(probabilities: readonly number[]): number {
  const variance = probabilities.reduce((sum, p) => sum + p * (1 - p), 0)
  if (probabilities.length > MANY) return Math.sqrt((2 / Math.PI) * variance)
  // How probable it is that so many of the answers until here are right.
  const counts = new Float64Array(probabilities.length + 1)
  counts[0] = 1
  for (const [index, p] of probabilities.entries()) {
    for (let right = index + 1; right > 0; right--) counts[right] = counts[right]! * (1 - p) + counts[right - 1]! * p
    counts[0]! *= 1 - p
  }
  const mean = probabilities.reduce((sum, p) => sum + p, 0)
  return counts.reduce((sum, share, right) => sum + share * Math.abs(right - mean), 0)
}
