import type { OwnCalibration } from '../../decide/own-calibration.ts'
import { writeHead } from '../../decide/question-head.ts'
import type { Engine } from '../engine.ts'

/** Width of the embedded model's hidden states. */
export const WIDTH = 384

export const URGENT = { type: 'noul', instructions: 'Does this need an answer today?' } as const
export const TEAM = {
  type: 'choice',
  instructions: 'Which team?',
  criteria: { billing: 'payments', tech: 'crashes and bugs', sales: null },
} as const

/** Weights that are the same in every run, of a size that moves logits by about one. */
export const headWeights = (options: number) =>
  Float32Array.from({ length: options * 2 * WIDTH }, (_, index) => 0.05 * Math.sin(7 * index + 1))

/** A calibration of the embedded model as `engine` serves it, with a head for each of the two questions. */
export async function makeHeadedCalibration(engine: Engine): Promise<OwnCalibration> {
  const { identity } = (await engine.models()).find(({ name }) => name === 'decide-latest')!
  return {
    format: 'tessera-calibration-1',
    model: identity!,
    questions: [
      { question: URGENT, rows: 100, temperature: 1, bias: [0.5, 0], head: writeHead(headWeights(2), WIDTH) },
      { question: TEAM, rows: 100, temperature: 2, bias: [0, 0, 0], head: writeHead(headWeights(3), WIDTH) },
    ],
  }
}
