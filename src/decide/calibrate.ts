import * as z from 'zod'
import { InternalError } from '../errors/index.ts'
import type { Question } from '../schemas/index.ts'
import { optionCount } from './option-count.ts'

const temperature = z.number().positive()
const byCount = z.object({ '2': temperature, '3-5': temperature, '6-10': temperature, '11+': temperature })

/**
 * Calibration as data of the bundle: one temperature per question type and option-count bucket, and a bias in logits added
 * to yes. Fitted once on held-out rows and tasks by negative log-likelihood (Guo et al. 2017); never adapted from traffic.
 */
export const calibrationSchema = z.object({
  temperature: z.object({ noul: temperature, choice: byCount, score: byCount }),
  /** Added to the logit of yes before the temperature. */
  noul_bias: z.number(),
  /** The number of labelled questions that it was fitted on, and the expected calibration error (15 bins) left on them. */
  samples: z.number().int(),
  ece: z.number(),
})

export type Calibration = z.infer<typeof calibrationSchema>

/** Option-count bucket of a temperature. */
export function bucketOf(options: number): keyof z.infer<typeof byCount> {
  if (options <= 2) return '2'
  if (options <= 5) return '3-5'
  return options <= 10 ? '6-10' : '11+'
}

/**
 * Softmax without overflow. Shapes: [K] → [K]; sums to 1 to rounding.
 *
 * @throws InternalError for logits that are not finite, such as a device gives whose half precision overflowed
 */
export function toProbabilities(logits: ArrayLike<number>): number[] {
  const values = Array.from(logits)
  if (!values.every(Number.isFinite)) {
    throw new InternalError(
      'the model gave a logit that is not a finite number: its weights may hold NaN or infinity, or overflow on a device of half precision, where ' +
        "the backend 'cpu' helps",
    )
  }
  const top = Math.max(...values)
  const powers = values.map((value) => Math.exp(value - top))
  const total = powers.reduce((sum, power) => sum + power, 0)
  return powers.map((power) => power / total)
}

/** Logits of one question as calibrated logits. Without calibration they are returned as they are. */
export function calibrateLogits(
  question: Question,
  logits: Float64Array,
  calibration: Calibration | undefined,
): Float64Array {
  if (!calibration) return logits
  if (question.type === 'noul') {
    const { noul } = calibration.temperature
    return logits.map((logit, index) => (index === 0 ? logit + calibration.noul_bias : logit) / noul)
  }
  const divisor = calibration.temperature[question.type][bucketOf(optionCount(question))]
  return logits.map((logit) => logit / divisor)
}
