import type { Answer, DecisionRequest, DecisionResponse } from '../schemas/index.ts'
import { answerQuestion } from './answer.ts'
import { calibrateLogits } from './calibrate.ts'
import type { Manifest } from './manifest.ts'
import { poolWindows } from './windows.ts'

/** What of a bundle's manifest a response depends on. */
export type RespondSettings = Pick<Manifest, 'name' | 'calibration' | 'window'>

export interface ReadRequest {
  readonly request: DecisionRequest
  /** Uncalibrated logits: [question][window][K], questions in the request's order. */
  readonly logits: readonly (readonly Float64Array[])[]
  readonly inputTokens: number
  /** `performance.now()` when the work began. */
  readonly started: number
}

/** The response to a request from the logits that a model gave: calibrated, pooled over windows, as answers. */
export function respond(
  { name, calibration, window }: RespondSettings,
  { request, logits, inputTokens, started }: ReadRequest,
): DecisionResponse {
  const answers = Object.entries(request.questions).map(([key, question], index): [string, Answer] => {
    const calibrated = logits[index]!.map((read) => calibrateLogits(question, read, calibration))
    const pooled = poolWindows(calibrated, window.sharpness)
    return [key, answerQuestion(question, pooled, question.min_confidence ?? request.min_confidence)]
  })
  return {
    model: name,
    answers: Object.fromEntries(answers),
    usage: { input_tokens: inputTokens, output_tokens: 0 },
    latency_ms: Math.round(performance.now() - started),
  }
}
