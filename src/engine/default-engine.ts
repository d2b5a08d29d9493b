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
  parseDecisionRequest,
  parseImageEditRequest,
  parseImageGenerationRequest,
  type QuestionsInput,
  type ResponseTo,
  type ThresholdInput,
} from '../schemas/index.ts'
import type { CallOptions } from './calls/call-options.ts'
import { checkCall } from './calls/check-call.ts'
import { ownControl } from './calls/control-option.ts'
import { decideEach, type DecideManyOptions, type DecisionOutcome, type DecisionRequests } from './calls/decide-many.ts'
import type { EditImageCallOptions, ImageCallOptions } from './calls/image-call-options.ts'
import { ownSources } from './calls/picture-sources.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'
import type { CallKind } from './jobs.ts'
import { LazyEngine } from './lazy-engine.ts'

const shared = new LazyEngine(() => createEngine())

/** The shared engine. A request that is at fault is refused before one is started for it, and so is what its call says. */
function share(
  kind: CallKind,
  check: () => unknown,
  options: CallOptions | EditImageCallOptions = {},
): Promise<Engine> {
  checkCall(kind, options)
  if (!shared.exists) check()
  return shared.get(options.signal)
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
 * @throws InvalidRequestError naming the field at fault; otherwise as `Engine.decide`
 */
export async function decide<
  const Questions extends QuestionsInput,
  const Threshold extends ThresholdInput = ThresholdInput,
>(
  request: ExactDecisionRequest<Questions, Threshold> & GivenThreshold<Threshold>,
  options?: CallOptions,
): Promise<DecisionResponse<Questions, Threshold>> {
  return (await share('decide', () => parseDecisionRequest(request), options)).decide<Questions, Threshold>(
    request,
    options,
  )
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
 */
export async function countTokens(request: DecisionRequestInput, options?: CallOptions): Promise<TokenCount> {
  return (await share('countTokens', () => parseDecisionRequest(request), options)).countTokens(request, options)
}

/**
 * Draws 1 to 4 pictures from words, on the shared engine.
 *
 * @example
 * ```ts
 * const { data } = await generateImage({ prompt: 'an apple on a blue background', size: '256x256', seed: 7 })
 * await writeFile('apple.png', Buffer.from(data[0].b64_json, 'base64'))
 * ```
 *
 * @throws InvalidRequestError naming the field at fault; otherwise as `Engine.generateImage`
 */
export async function generateImage(
  request: ImageGenerationRequestInput,
  options?: ImageCallOptions,
): Promise<ImageResponse> {
  const call = await ownControl(options, readFile)
  return (await share('generateImage', () => parseImageGenerationRequest(request), options)).generateImage(
    request,
    call,
  )
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
 * @throws InvalidRequestError naming the field at fault; otherwise as `Engine.editImage`
 */
export async function editImage(request: EditImageRequest, options?: EditImageCallOptions): Promise<ImageResponse> {
  const read = (await ownSources(request, readFile)) as EditImageRequest
  const call = await ownControl(options, readFile)
  return (await share('editImage', () => parseImageEditRequest(read), options)).editImage(read, call)
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
