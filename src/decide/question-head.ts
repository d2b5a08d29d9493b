import * as z from 'zod'
import { decodeBase64, encodeBase64 } from '../schemas/base64.ts'

/** A head of somebody's own for one question: for each option a linear function of what the model's scorer reads. */
export const questionHeadSchema = z.object({
  /** Numbers of a hidden state of the model. */
  width: z.number().int().positive(),
  /** float32 [K, 2 · width], little-endian, as base64: of each option the weights of the question's hidden state, then of its own. */
  weights: z.string(),
})

export type QuestionHead = z.infer<typeof questionHeadSchema>

/** @returns the weights [options, 2 · width], or undefined where they are not as many numbers */
export function readHead({ width, weights }: QuestionHead, options: number): Float32Array | undefined {
  const bytes = decodeBase64(weights)
  if (bytes?.length !== options * 2 * width * Float32Array.BYTES_PER_ELEMENT) return undefined
  const read = new Float32Array(bytes.buffer)
  return read.every(Number.isFinite) ? read : undefined
}

/** @param weights [options, 2 · width] */
export function writeHead(weights: Float32Array, width: number): QuestionHead {
  return { width, weights: encodeBase64(new Uint8Array(weights.buffer, weights.byteOffset, weights.byteLength)) }
}

/**
 * What a head adds to the logits of the options [K].
 *
 * @param features of the question, see `DecisionOutput` [K + 1, width]
 * @param weights [K, 2 · width]
 */
export function headLogits(features: Float32Array, weights: ArrayLike<number>, width: number): Float64Array {
  const logits = new Float64Array(features.length / width - 1)
  for (let option = 0; option < logits.length; option++) {
    const question = 2 * width * option
    const own = question + width
    const row = width * (option + 1)
    // Two sums do not wait for each other.
    let [sum, other] = [0, 0]
    for (let at = 0; at < width; at++) {
      sum += weights[question + at]! * features[at]!
      other += weights[own + at]! * features[row + at]!
    }
    logits[option] = sum + other
  }
  return logits
}
