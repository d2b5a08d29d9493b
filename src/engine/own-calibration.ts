import { probabilitiesOf } from '../decide/answer.ts'
import type { DecisionJob, DecisionOutput } from '../decide/index.ts'
import { type OwnCalibration, type OwnQuestion, questionKey, recalibrate } from '../decide/own-calibration.ts'
import { headLogits, readHead } from '../decide/question-head.ts'
import { InvalidRequestError } from '../errors/index.ts'
import type { DecisionRequest, DecisionResponse, Question } from '../schemas/index.ts'
import { featureListenerOf } from './call-features.ts'
import type { CallOptions } from './call-options.ts'
import { DEFAULT_MODELS } from './default-models.ts'
import { chooseLoras } from './lora-options.ts'
import type { ResolvedOptions } from './resolve-options.ts'
import type { TaskSource } from './task.ts'

/** The template of models that have what heads read. */
const HEADED = 'tree-1'

/**
 * Refuses a calibration whose model this engine does not serve: it would make the probabilities of another one worse.
 *
 * @throws InvalidRequestError saying which it is for and which are there
 */
export async function requireCalibrated({ model, questions }: OwnCalibration, source: TaskSource): Promise<void> {
  if (model.template !== HEADED && questions.some(({ head }) => head !== undefined)) {
    const reason = `has a head, which only models of template ${HEADED} can have, and was made for ${describe(model)}`
    throw new InvalidRequestError('calibration', `${reason}. Calibrate anew`)
  }
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
  const calibratorOf = (request: DecisionRequest, call: CallOptions | undefined) => {
    const isChanged = chooseLoras(loras, request.model ?? DEFAULT_MODELS.decide, call?.lora).length > 0
    return isChanged ? undefined : calibrator
  }
  return {
    /** What the model is given: the request, and of which questions the features are needed. */
    toJob(request: DecisionRequest, call?: CallOptions): DecisionJob {
      const headed = calibratorOf(request, call)?.headed(request) ?? []
      const features = [...new Set([...headed, ...(featureListenerOf(call)?.names ?? [])])]
      return features.length === 0 ? request : { ...request, features }
    },
    /** What the caller is given. */
    toResponse(request: DecisionRequest, output: DecisionOutput, call?: CallOptions): DecisionResponse {
      const { features, ...response } = output
      if (features) featureListenerOf(call)?.onFeatures(features)
      return calibratorOf(request, call)?.apply(request, response, features) ?? response
    },
  }
}

/** A question that a calibration knows. */
interface Known extends OwnQuestion {
  /** Weights of its head [K, 2 · width]. */
  readonly weights?: Float32Array
}

/** Corrects the answers to the questions that a calibration knows; the others are as they were. */
class OwnCalibrator {
  readonly #model: string
  readonly #questions: ReadonlyMap<string, Known>

  constructor({ model, questions }: OwnCalibration) {
    this.#model = model.id
    this.#questions = new Map(
      questions.map((own) => {
        const weights = own.head && readHead(own.head, own.bias.length)
        return [questionKey(own.question), { ...own, ...(weights && { weights }) }]
      }),
    )
  }

  /** Names of the questions that have a head. */
  headed({ questions }: DecisionRequest): string[] {
    return Object.entries(questions).flatMap(([name, question]) => (this.#find(question)?.weights ? [name] : []))
  }

  apply(
    request: DecisionRequest,
    response: DecisionResponse,
    features: DecisionOutput['features'] = {},
  ): DecisionResponse {
    if (response.model !== this.#model) return response
    const answers = Object.entries(response.answers).map(([name, answer]) => {
      const question = request.questions[name]!
      const own = this.#find(question)
      if (!own) return [name, answer] as const
      const threshold = question.min_confidence ?? request.min_confidence
      const adjustment = { ...own, added: readAdded(own, features[name]) }
      return [name, recalibrate(question, probabilitiesOf(question, answer), adjustment, threshold)] as const
    })
    return { ...response, answers: Object.fromEntries(answers) }
  }

  #find(question: Question): Known | undefined {
    return this.#questions.get(questionKey(question))
  }
}

/**
 * What the head of a question adds to its logits [K]; undefined where it has none.
 *
 * @throws InvalidRequestError where the head is of another width than the model
 */
function readAdded({ head, weights, bias }: Known, features: Float32Array | undefined): Float64Array | undefined {
  if (!head || !weights) return undefined
  const width = (features?.length ?? 0) / (bias.length + 1)
  if (features && width === head.width) return headLogits(features, weights, width)
  const reason = `has a head on hidden states of ${head.width} numbers, those of the model have ${width}`
  throw new InvalidRequestError('calibration', `${reason}. Calibrate anew`)
}
