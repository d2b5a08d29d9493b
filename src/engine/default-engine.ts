import type { TokenCount } from '../decide/index.ts'
import type {
  DecisionRequestInput, DecisionResponse, ImageEditRequestInput, ImageGenerationRequestInput, ImageResponse,
  QuestionsInput,
} from '../schemas/index.ts'
import { createEngine } from './create-engine.ts'
import type { CallOptions } from './dispatcher.ts'
import type { EditImageCallOptions, ImageCallOptions } from './image-call-options.ts'
import { LazyEngine } from './lazy-engine.ts'

const shared = new LazyEngine(() => createEngine())

/** `Engine.decide` on one engine that all top-level functions share; it starts with the first call. */
export async function decide<const Questions extends QuestionsInput>(
  request: DecisionRequestInput<Questions>,
  options?: CallOptions,
): Promise<DecisionResponse<Questions>> {
  return (await shared.get()).decide(request, options)
}

/** `Engine.countTokens` on the shared engine. */
export async function countTokens(request: DecisionRequestInput, options?: CallOptions): Promise<TokenCount> {
  return (await shared.get()).countTokens(request, options)
}

/** `Engine.generateImage` on the shared engine. */
export async function generateImage(
  request: ImageGenerationRequestInput,
  options?: ImageCallOptions,
): Promise<ImageResponse> {
  return (await shared.get()).generateImage(request, options)
}

/** `Engine.editImage` on the shared engine. */
export async function editImage(
  request: ImageEditRequestInput,
  options?: EditImageCallOptions,
): Promise<ImageResponse> {
  return (await shared.get()).editImage(request, options)
}

/** Disposes the shared engine, if it was started. The next call starts a new one. */
export function disposeDefaultEngine(): Promise<void> {
  return shared.dispose()
}
