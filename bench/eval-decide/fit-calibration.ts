import { bucketOf, type Calibration, toProbabilities } from '../../src/decide/calibrate.ts'

/** Uncalibrated logits of one labelled question. */
export interface Sample {
  readonly type: 'noul' | 'choice' | 'score'
  readonly logits: readonly number[]
  readonly gold: number
  readonly source: string
}

const BUCKETS = ['2', '3-5', '6-10', '11+'] as const
/** Below this many samples a bucket takes the temperature of its whole question type. */
const ENOUGH = 100

/** The scale s ≥ 0.02 that minimises Σ −log softmax(s·z)[gold]; convex, found by Newton's method. Temperature is 1/s. */
export function fitScale(samples: readonly Sample[]): number {
  let scale = 1
  for (let step = 0; step < 50; step++) {
    let slope = 0
    let curve = 1e-9
    for (const { logits, gold } of samples) {
      const p = toProbabilities(logits.map((logit) => logit * scale))
      const average = p.reduce((sum, value, index) => sum + value * (logits[index] as number), 0)
      const spread = p.reduce((sum, value, index) => sum + value * ((logits[index] as number) - average) ** 2, 0)
      slope += average - (logits[gold] as number)
      curve += spread
    }
    const next = Math.max(0.02, scale - slope / curve)
    if (Math.abs(next - scale) < 1e-9) return next
    scale = next
  }
  return scale
}

/** Logistic regression of yes on the difference of the two logits: slope and intercept by Newton's method. */
export function fitLogistic(samples: readonly Sample[]): { slope: number; intercept: number } {
  let slope = 1
  let intercept = 0
  for (let step = 0; step < 50; step++) {
    let [ga, gb, aa, ab, bb] = [0, 0, 1e-6, 0, 1e-6]
    for (const { logits, gold } of samples) {
      const x = (logits[0] as number) - (logits[1] as number)
      const p = 1 / (1 + Math.exp(-(slope * x + intercept)))
      const error = p - (gold === 0 ? 1 : 0)
      const weight = p * (1 - p)
      ga += error * x
      gb += error
      aa += weight * x * x
      ab += weight * x
      bb += weight
    }
    const determinant = aa * bb - ab * ab
    const da = (bb * ga - ab * gb) / determinant
    const db = (aa * gb - ab * ga) / determinant
    slope = Math.max(0.02, slope - da)
    intercept -= db
    if (Math.abs(da) + Math.abs(db) < 1e-9) break
  }
  return { slope, intercept }
}

/**
 * Of four sources or more, leaves at most a third as many of one as of all others: a single task that the model cannot do
 * would make it unsure of all.
 */
function balance(samples: readonly Sample[]): readonly Sample[] {
  const sources = new Set(samples.map(({ source }) => source))
  if (sources.size < 4) return samples
  return [...sources].flatMap((source) => {
    const own = samples.filter((sample) => sample.source === source)
    const most = Math.max(1, Math.floor((samples.length - own.length) / 3))
    const place = (index: number) => Math.floor((index * most) / own.length)
    return own.length <= most ? own : own.filter((_, index) => place(index) !== place(index - 1))
  })
}

function byBucket(samples: readonly Sample[]): Calibration['temperature']['choice'] {
  const whole = fitScale(balance(samples))
  return Object.fromEntries(
    BUCKETS.map((bucket) => {
      const members = samples.filter(({ logits }) => bucketOf(logits.length) === bucket)
      return [bucket, 1 / (members.length < ENOUGH ? whole : fitScale(balance(members)))]
    }),
  ) as Calibration['temperature']['choice']
}

/** Temperatures per type and option-count bucket and the noul bias, by negative log-likelihood. */
export function fitCalibration(samples: readonly Sample[]): Pick<Calibration, 'temperature' | 'noul_bias'> {
  const of = (type: Sample['type']) => samples.filter((sample) => sample.type === type)
  const { slope, intercept } = fitLogistic(of('noul'))
  return {
    temperature: { noul: 1 / slope, choice: byBucket(of('choice')), score: byBucket(of('score')) },
    noul_bias: intercept / slope,
  }
}
