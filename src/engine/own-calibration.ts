import { probabilitiesOf } from '../decide/answer.ts'
import type { DecisionJob, DecisionOutput } from '../decide/index.ts'
import {
  describeIdentity,
  inOrderOfBiases,
  orderlessKey,
  type OwnCalibration,
  ORDERLESS_TEMPLATE,
  type OwnQuestion,
  questionKey,
  recalibrate,
} from '../decide/own-calibration.ts'
import { headLogits, readHead } from '../decide/question-head.ts'
import { InvalidRequestError } from '../errors/index.ts'
import type { DecisionRequest, DecisionResponse, Question } from '../schemas/index.ts'
import { featureListenerOf } from './calls/call-features.ts'
import type { CallOptions } from './calls/call-options.ts'
import { chooseLoras } from './options/lora-options.ts'
import type { ResolvedOptions } from './options/resolve-options.ts'
import { foldersOf, identifyServed, requireTold } from './served-identities.ts'
import type { TaskSource } from './worker/task.ts'

/**
 * Finds the model of a calibration, or refuses it where this engine does not serve that: it would make the probabilities of
 * another one worse.
 *
 * @returns its folders
 * @throws InvalidRequestError saying which it is for and which are there
 */
async function findCalibrated({ model, questions }: OwnCalibration, source: TaskSource): Promise<ReadonlySet<string>> {
  if (model.template !== ORDERLESS_TEMPLATE && questions.some(({ head }) => head !== undefined)) {
    const reason = `has a head, which only models of template ${ORDERLESS_TEMPLATE} can have, and was made for ${describeIdentity(model)}`
    throw new InvalidRequestError('calibration', `${reason}. Calibrate anew`)
  }
  const served = await identifyServed(source)
  const folders = foldersOf(model, served)
  requireTold('calibration', model, folders)
  if (folders.length > 0) return new Set(folders)
  const there = [...new Set(Array.from(served.values(), describeIdentity))].join('; ') || 'no decision model'
  throw new InvalidRequestError(
    'calibration',
    `was made for ${describeIdentity(model)}; this engine serves ${there}. Calibrate anew`,
  )
}

/** Refuses what no calibration is for, before it is fitted to answers. */
function createCalibrable(source: TaskSource, isAdapted: (name: string, call: CallOptions | undefined) => boolean) {
  let served: ReturnType<typeof identifyServed> | undefined
  return async (name: string, call: CallOptions | undefined): Promise<void> => {
    if (isAdapted(name, call)) {
      const reason = `must compute '${name}' without adapters (\`loras\`): no calibration is for a model with adapters`
      throw new InvalidRequestError('engine', reason)
    }
    const found = await source.resolve(name).catch(() => undefined)
    // Kept, as rows are many and ask for the same models.
    const identities = await (served ??= identifyServed(source))
    const identity = found && identities.get(found.folder)
    if (identity) requireTold('engine', identity, foldersOf(identity, identities))
  }
}

/**
 * Corrects answers as the options say. Those of another model, be it of the same name, and of one with adapters are as they
 * were: the calibration is of neither. So are those that another calibration is fitted to, which will take its place.
 *
 * @throws InvalidRequestError where no model of the engine is that of the calibration
 */
export async function createCorrection(
  { calibration, loras }: Pick<ResolvedOptions, 'calibration' | 'loras'>,
  source: TaskSource,
) {
  const own = calibration && {
    calibrator: new OwnCalibrator(calibration),
    folders: await findCalibrated(calibration, source),
  }
  const isAdapted = (name: string, call: CallOptions | undefined) => chooseLoras(loras, name, call?.lora).length > 0
  const requireCalibrable = createCalibrable(source, isAdapted)
  const calibratorOf = async (name: string, call: CallOptions | undefined, { calibrator, folders }: Own) => {
    if (isAdapted(name, call)) return undefined
    // What cannot be found is told of by the worker that it is asked of.
    const found = await source.resolve(name).catch(() => undefined)
    return found && folders.has(found.folder) ? calibrator : undefined
  }
  return {
    /**
     * What the caller is given.
     *
     * @param name that the request is answered under
     * @param decide asks the model, which is also told of which questions the features are needed
     */
    async answer(
      name: string,
      request: DecisionRequest,
      call: CallOptions | undefined,
      decide: (job: DecisionJob) => Promise<DecisionOutput>,
    ): Promise<DecisionResponse> {
      const listener = featureListenerOf(call)
      if (listener?.isCalibrating) await requireCalibrable(name, call)
      // Without a calibration nothing is waited for: calls have their places in the order in which they were made.
      const calibrator = own && !listener?.isCalibrating ? await calibratorOf(name, call, own) : undefined
      const needed = [...new Set([...(calibrator?.headed(request) ?? []), ...(listener?.names ?? [])])]
      const output = await decide(needed.length === 0 ? request : { ...request, features: needed })
      const { features, ...response } = output
      if (features) listener?.onFeatures(features)
      return calibrator?.apply(request, response, features) ?? response
    },
  }
}

/** A calibration, and the folders of its model. */
interface Own {
  readonly calibrator: OwnCalibrator
  readonly folders: ReadonlySet<string>
}

/** A question that a calibration knows. */
interface Known extends OwnQuestion {
  /** Weights of its head [K, 2 · width]. */
  readonly weights?: Float32Array
}

/** Corrects the answers to the questions that a calibration knows; the others are as they were. */
export class OwnCalibrator {
  readonly #questions: ReadonlyMap<string, Known>
  /** Choices, whatever the order of their options; none of a model that looks at it. */
  readonly #choices: ReadonlyMap<string, Known>

  constructor({ model, questions }: OwnCalibration) {
    const known = questions.map(inOrderOfBiases).map((own): Known => {
      const weights = own.head && readHead(own.head, own.bias.length)
      return { ...own, ...(weights && { weights }) }
    })
    const choices =
      model.template === ORDERLESS_TEMPLATE ? known.filter(({ question }) => question.type === 'choice') : []
    this.#questions = new Map(known.map((own) => [questionKey(own.question), own]))
    this.#choices = new Map(choices.map((own) => [orderlessKey(own.question), own]))
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
    const same = this.#questions.get(questionKey(question))
    if (same || question.type !== 'choice') return same
    const reordered = this.#choices.get(orderlessKey(question))
    return reordered && reorder(reordered, Object.keys(question.criteria))
  }
}

/** A correction of a choice for its options in another order. */
function reorder(own: Known, names: readonly string[]): Known {
  const known = Object.keys(own.question.criteria as object)
  const places = names.map((name) => known.indexOf(name))
  const bias = places.map((place) => own.bias[place] ?? 0)
  if (!own.weights || !own.head) return { ...own, bias }
  const row = 2 * own.head.width
  const weights = new Float32Array(own.weights.length)
  for (const [at, place] of places.entries())
    weights.set(own.weights.subarray(place * row, (place + 1) * row), at * row)
  return { ...own, bias, weights }
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
