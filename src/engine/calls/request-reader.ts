import { createDecisionParser } from '../../schemas/decision-request.ts'
import {
  type DecisionRequest,
  type DecisionRequestInput,
  type EditImageRequest,
  type ImageEditRequest,
  type ImageGenerationRequest,
  type ImageGenerationRequestInput,
  LIMITS,
  type OptionLimits,
  parseImageEditRequest,
  parseImageGenerationRequest,
  type Warning,
} from '../../schemas/index.ts'
import { unknownDecisionFields, unknownEditFields, unknownGenerationFields } from '../../schemas/unknown-fields.ts'
import { SignalListeners } from '../signal-listeners.ts'
import { unlessAborted } from '../unless-aborted.ts'
import type { CallOptions } from './call-options.ts'
import { isChecked } from './checked-calls.ts'
import { type ControlOption, readControl } from './control-option.ts'
import { ownSources, type ReadFile } from './picture-sources.ts'

/** A request that nobody else has, and what of it nothing reads. */
interface Read<Request> {
  readonly request: Request
  readonly warnings: readonly Warning[]
}

/** Checks and copies what callers pass where they call, unless a service has done so. @throws InvalidRequestError */
export function createRequestReader({ maxOptions = LIMITS.options.max }: OptionLimits, readFile: ReadFile | undefined) {
  const limits = { maxOptions }
  const parseDecision = createDecisionParser(limits)
  const signals = new SignalListeners()
  /** A source may be a promise, a download perhaps, or lie on a slow disk. */
  function whileWanted<T>(read: () => Promise<T>, { signal }: CallOptions): Promise<T> {
    return signal ? unlessAborted(read, signal, signals) : read()
  }
  return {
    readDecision(body: DecisionRequestInput, call: CallOptions | undefined): Read<DecisionRequest> {
      if (isChecked<DecisionRequest>(body, call, limits)) return { request: body, warnings: [] }
      return { request: parseDecision(body), warnings: unknownDecisionFields(body) }
    },
    readGeneration(body: ImageGenerationRequestInput, call: CallOptions): Read<ImageGenerationRequest> {
      if (isChecked<ImageGenerationRequest>(body, call)) return { request: body, warnings: [] }
      return { request: parseImageGenerationRequest(body), warnings: unknownGenerationFields(body) }
    },
    async readEdit(body: EditImageRequest, call: CallOptions): Promise<Read<ImageEditRequest>> {
      if (isChecked<ImageEditRequest>(body, call)) return { request: body, warnings: [] }
      const own = await whileWanted(() => ownSources(body, readFile), call)
      return { request: parseImageEditRequest(own), warnings: unknownEditFields(own as object) }
    },
    async readControl(control: ControlOption | undefined, call: CallOptions): ReturnType<typeof readControl> {
      return control === undefined ? {} : whileWanted(() => readControl(control, readFile), call)
    },
  }
}
