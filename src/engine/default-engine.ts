import { readFile } from 'node:fs/promises'
import type { TokenCount } from '../decide/index.ts'
import {
  type DecisionRequestInput,
  type DecisionResponse,
  type EditImageRequest,
  type ExactDecisionRequest,
  type GivenThreshold,
  type ImageGenerationRequestInput,
  type ImageResponse,
  LIMITS,
  type QuestionsInput,
  type ResponseTo,
  type ThresholdInput,
} from '../schemas/index.ts'
import type { CallOptions } from './calls/call-options.ts'
import { checkCall } from './calls/check-call.ts'
import { asChecked } from './calls/checked-calls.ts'
import { decideEach, type DecideManyOptions, type DecisionOutcome, type DecisionRequests } from './calls/decide-many.ts'
import type { EditImageCallOptions, ImageCallOptions } from './calls/image-call-options.ts'
import { createRequestReader } from './calls/request-reader.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'
import { LazyEngine } from './lazy-engine.ts'
import { warned } from './warned.ts'

const shared = new LazyEngine(() => createEngine())
const limits = { maxOptions: LIMITS.options.max }
const { readDecision, readGeneration, readEdit, readControl } = createRequestReader(limits, readFile)

/**
 * The shared engine, and options with which it takes a request as it is. All is read where the call is made: a caller
 * may use its objects again before there is an engine, and what is at fault needs none.
 */
async function share<Options extends CallOptions>(
  request: object,
  options: Options,
): Promise<{ readonly engine: Engine; readonly call: Options }> {
  const call = asChecked(request, options, limits)
  return { engine: await shared.get(call.signal), call }
}

/**
 * Answers 1 to 32 questions about a state with calibrated probabilities, on one engine that all top-level functions
 * share; it starts with the first call.
 *
 * @example
 * ```ts
 * const { answers } = await decide({
 *   state: 'I was charged twice and want my money back.',
 *   questions: {
 *     urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
 *     team: { type: 'choice', instructions: 'Who should handle it?', criteria: { billing: 'Payments', tech: 'Bugs' } },
 *   },
 * })
 * answers.urgent.noul // probability of yes, 0 to 1
 * answers.team.choice // 'billing' | 'tech'
 * ```
 *
 * @throws InvalidRequestError naming the field at fault, or `TESSERA_THREADS` and other variables that are no valid value, by which the engine
 * starts; BackendUnavailableError where it cannot; otherwise as `Engine.decide`
 */
export async function decide<
  const Questions extends QuestionsInput,
  const Threshold extends ThresholdInput = ThresholdInput,
>(
  request: ExactDecisionRequest<Questions, Threshold> & GivenThreshold<Threshold>,
  options: CallOptions = {},
): Promise<DecisionResponse<Questions, Threshold>> {
  const own = checkCall('decide', options)
  const read = readDecision(request, own)
  const { engine, call } = await share(read.request, own)
  return warned(await engine.decide(read.request, call), read.warnings) as DecisionResponse<Questions, Threshold>
}

/**
 * Decides on many requests, a few at a time, on the shared engine, and yields their outcomes in their order; see
 * `Engine.decideMany`.
 *
 * @example
 * ```ts
 * const questions = { refund: { type: 'noul', instructions: 'Does the writer want money back?' } } as const
 * const requests = ['I was charged twice', 'How do I log in?'].map((state) => ({ state, questions }))
 * for await (const { index, response, error } of decideMany(requests, { concurrency: 4 })) {
 *   console.log(index, response?.answers ?? error?.message)
 * }
 * ```
 */
export function decideMany<const Request extends DecisionRequestInput>(
  requests: DecisionRequests<Request>,
  options?: DecideManyOptions<ResponseTo<Request>>,
): AsyncGenerator<DecisionOutcome<ResponseTo<Request>>, void, undefined> {
  return decideEach((request, call) => decide(request, call), requests, options)
}

/**
 * What `decide` would count for the same request, without running it, on the shared engine.
 *
 * @example
 * ```ts
 * const { input_tokens } = await countTokens({ state: 'x', questions: { q: { type: 'noul', instructions: 'Is it x?' } } })
 * ```
 *
 * @throws as `decide`
 */
export async function countTokens(request: DecisionRequestInput, options: CallOptions = {}): Promise<TokenCount> {
  const own = checkCall('countTokens', options)
  const read = readDecision(request, own)
  const { engine, call } = await share(read.request, own)
  return engine.countTokens(read.request, call)
}

/**
 * Draws 1 to 4 pictures from words, on the shared engine.
 *
 * @example
 * ```ts
 * const { data } = await generateImage({ prompt: 'an apple on a blue background', size: '256x256', seed: 7 })
 * await writeImage('apple.png', data[0])
 * ```
 *
 * @throws InvalidRequestError naming the field at fault; what the start of the engine throws, as `decide` does; otherwise as `Engine.generateImage`
 */
export async function generateImage(
  request: ImageGenerationRequestInput,
  options: ImageCallOptions = {},
): Promise<ImageResponse> {
  const checked = checkCall('generateImage', options)
  const read = readGeneration(request, checked)
  const own = await readControl(checked.control, checked)
  const { engine, call } = await share(read.request, { ...checked, ...own })
  return warned(await engine.generateImage(read.request, call), read.warnings)
}

/**
 * Changes a picture, or makes one out of several, as the prompt says, on the shared engine.
 *
 * @example
 * ```ts
 * const { data } = await generateImage({ prompt: 'an apple on a blue background', seed: 7 })
 * const edited = await editImage({ prompt: 'change the background to yellow', image: data[0].b64_json })
 * ```
 *
 * @throws InvalidRequestError naming the field at fault; what the start of the engine throws, as `decide` does; otherwise as `Engine.editImage`
 */
export async function editImage(request: EditImageRequest, options: EditImageCallOptions = {}): Promise<ImageResponse> {
  const checked = checkCall('editImage', options)
  const [read, own] = await Promise.all([readEdit(request, checked), readControl(checked.control, checked)])
  const { engine, call } = await share(read.request, { ...checked, ...own })
  return warned(await engine.editImage(read.request, call), read.warnings)
}

/**
 * Disposes the shared engine, if it was started. The next call starts a new one.
 *
 * @example
 * ```ts
 * await decide(request)
 * await disposeDefaultEngine()
 * ```
 */
export function disposeDefaultEngine(): Promise<void> {
  return shared.dispose()
}
