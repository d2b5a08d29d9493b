import type { TokenCount } from '../decide/index.ts'
import {
  type DecisionRequestInput,
  type DecisionResponse,
  type ImageEditRequestInput,
  type ImageGenerationRequestInput,
  type ImageResponse,
  parseDecisionRequest,
  parseImageEditRequest,
  parseImageGenerationRequest,
  type QuestionsInput,
} from '../schemas/index.ts'
import { createEngine } from './create-engine.ts'
import type { CallOptions } from './dispatcher.ts'
import type { Engine } from './engine.ts'
import type { EditImageCallOptions, ImageCallOptions } from './image-call-options.ts'
import { LazyEngine } from './lazy-engine.ts'

const shared = new LazyEngine(() => createEngine())

/** The shared engine. A request that is at fault is refused before one is started for it. */
function share(check: () => unknown, signal: AbortSignal | undefined): Promise<Engine> {
  if (!shared.exists) check()
  return shared.get(signal)
}

/** `Engine.decide` on one engine that all top-level functions share; it starts with the first call. */
export async function decide<const Questions extends QuestionsInput>(
  request: DecisionRequestInput<Questions>,
  options?: CallOptions,
): Promise<DecisionResponse<Questions>> {
  return (await share(() => parseDecisionRequest(request), options?.signal)).decide(request, options)
}

/** `Engine.countTokens` on the shared engine. */
export async function countTokens(request: DecisionRequestInput, options?: CallOptions): Promise<TokenCount> {
  return (await share(() => parseDecisionRequest(request), options?.signal)).countTokens(request, options)
}

/** `Engine.generateImage` on the shared engine. */
export async function generateImage(
  request: ImageGenerationRequestInput,
  options?: ImageCallOptions,
): Promise<ImageResponse> {
  return (await share(() => parseImageGenerationRequest(request), options?.signal)).generateImage(request, options)
}

/** `Engine.editImage` on the shared engine. */
export async function editImage(
  request: ImageEditRequestInput,
  options?: EditImageCallOptions,
): Promise<ImageResponse> {
  return (await share(() => parseImageEditRequest(request), options?.signal)).editImage(request, options)
}

/** Disposes the shared engine, if it was started. The next call starts a new one. */
export function disposeDefaultEngine(): Promise<void> {
  return shared.dispose()
}
