import { probabilitiesOf } from '../decide/answer.ts'
import { type OwnCalibration, questionKey, recalibrate } from '../decide/own-calibration.ts'
import { InvalidRequestError } from '../errors/index.ts'
import type { Answer, DecisionRequest, DecisionResponse, Question } from '../schemas/index.ts'
import type { CallOptions } from './call-options.ts'
import { DEFAULT_MODELS } from './default-models.ts'
import { chooseLoras } from './lora-options.ts'
import type { ResolvedOptions } from './resolve-options.ts'
import type { TaskSource } from './task.ts'

/**
 * Refuses a calibration whose model this engine does not serve: it would make the probabilities of another one worse.
 *
 * @throws InvalidRequestError saying which it is for and which are there
 */
export async function requireCalibrated({ model }: OwnCalibration, source: TaskSource): Promise<void> {
  const served: OwnCalibration['model'][] = []
  for (const name of source.names) {
    const identity = await source
      .resolve(name, name)
      .then((found) => source.describe(found))
      .then((description) => description.identity)
      // A model that is not there is told of by whoever asks for it.
      .catch(() => undefined)
    if (identity) served.push(identity)
  }
  if (served.some((identity) => describe(identity) === describe(model))) return
  const there = [...new Set(served.map(describe))].join('; ') || 'no decision model'
  throw new InvalidRequestError(
    'calibration',
    `was made for ${describe(model)}; this engine serves ${there}. Calibrate anew`,
  )
}

function describe({ id, version, weights, template }: OwnCalibration['model']): string {
  return `${id} ${version} (weights ${weights}, template ${template})`
}

/** Corrects answers as the options say; those of a model with adapters, for which no calibration is made, are as they were. */
export function createCorrection({ calibration, loras }: Pick<ResolvedOptions, 'calibration' | 'loras'>) {
  const calibrator = calibration && new OwnCalibrator(calibration)
  return (request: DecisionRequest, response: DecisionResponse, call?: CallOptions): DecisionResponse => {
    const isChanged = chooseLoras(loras, request.model ?? DEFAULT_MODELS.decide, call?.lora).length > 0
    return calibrator === undefined || isChanged ? response : calibrator.apply(request, response)
  }
}

/** Corrects the answers to the questions that a calibration knows; the others are as they were. */
class OwnCalibrator {
  readonly #model: string
  readonly #questions: ReadonlyMap<string, OwnCalibration['questions'][number]>

  constructor({ model, questions }: OwnCalibration) {
    this.#model = model.id
    this.#questions = new Map(questions.map((own) => [questionKey(own.question), own]))
  }

  apply(request: DecisionRequest, response: DecisionResponse): DecisionResponse {
    if (response.model !== this.#model) return response
    const answers = Object.entries(response.answers).map(([name, answer]) => {
      const question = request.questions[name]!
      return [name, this.#correct(question, answer, question.min_confidence ?? request.min_confidence)] as const
    })
    return { ...response, answers: Object.fromEntries(answers) }
  }

  #correct(question: Question, answer: Answer, threshold: number | undefined): Answer {
    const own = this.#questions.get(questionKey(question))
    if (!own) return answer
    return recalibrate(question, probabilitiesOf(question, answer), own, threshold)
  }
}
