import { readFile } from 'node:fs/promises'
import { checkCall } from '../../engine/calls/check-call.ts'
import { decideEach } from '../../engine/calls/decide-many.ts'
import { readSampling } from '../../engine/calls/image-call-options.ts'
import { createRequestReader } from '../../engine/calls/request-reader.ts'
import type { CallOptions, Engine, ModelInfo } from '../../engine/index.ts'
import { warned } from '../../engine/warned.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { readOptions } from '../../options/index.ts'
import type {
  DecisionRequestInput,
  DecisionResponse,
  ImageResponse,
  QuestionsInput,
  ThresholdInput,
} from '../../schemas/index.ts'
import { picturesToText } from '../pack-request.ts'
import { openSealer, QUEUE_ENGINE, type QueueEngineOptions } from '../queue-options.ts'
import type { QueuedKind } from '../queued-call.ts'
import { QueueFront } from './queue-front.ts'

/** Files are where the workers are, and may differ from one to the next: names of models say which are used. */
const NO_LORA = "does not go through a queue: `loras` of the workers' engine gives a model its adapters"

/** What an engine does whose models are on other machines. */
export type QueueEngine = Pick<
  Engine,
  | 'maxOptions'
  | 'decide'
  | 'decideMany'
  | 'countTokens'
  | 'generateImage'
  | 'editImage'
  | 'models'
  | 'activity'
  | 'dispose'
> &
  AsyncDisposable

/**
 * An engine without models: its calls go through a queue on a Redis server to the workers that `runWorker` or `tessera
 * worker` starts, to those that serve its model. Where workers are there and none of them does, it throws ModelNotFoundError. Clients (`CallOptions.client`) take turns, whatever each of them has waiting.
 *
 * @example
 * ```ts
 * const server = createServer({ engine: createQueueEngine({ connection: 'redis://localhost:6379' }) })
 * ```
 *
 * @throws InvalidRequestError for an option that is no valid value, and without keys where `plaintext` is not set
 */
export function createQueueEngine(options: QueueEngineOptions): QueueEngine {
  const { connection, maxWaiting, maxOptions, ...sealing } = readOptions(QUEUE_ENGINE, options)
  const front = new QueueFront(connection, openSealer(sealing), maxWaiting)
  const limits = maxOptions === undefined ? {} : { maxOptions }
  const { readDecision, readGeneration, readEdit, readControl } = createRequestReader(limits, readFile)
  const submit = async <Response>(kind: QueuedKind, request: Asked, call: CallOptions, options: object = {}) => {
    if (call.lora?.length) throw new InvalidRequestError('lora', NO_LORA)
    return (await front.submit(kind, { model: request.model, request, options }, call)) as Response
  }
  async function decide<const Questions extends QuestionsInput, const Threshold extends ThresholdInput>(
    body: DecisionRequestInput<Questions, Threshold>,
    call: CallOptions = {},
  ): Promise<DecisionResponse<Questions, Threshold>> {
    const { request, warnings } = readDecision(body, call)
    const response = await submit<DecisionResponse>('decide', request, checkCall('decide', call))
    return warned(response, warnings) as DecisionResponse<Questions, Threshold>
  }
  const dispose = () => front.dispose()
  return {
    ...limits,
    decide,
    decideMany: (requests, many) => decideEach(decide, requests, many),
    countTokens: async (body, call = {}) =>
      submit('countTokens', readDecision(body, call).request, checkCall('countTokens', call)),
    async generateImage(body, given = {}) {
      const { steps, guidance, negativePrompt, control, ...call } = checkCall('generateImage', given)
      const { request, warnings } = readGeneration(body, call)
      const { seed, ...sampling } = readSampling({ seed: request.seed, steps, guidance, negativePrompt })
      const options = picturesToText({ ...sampling, ...(await readControl(control, call)) })
      const asked = { ...request, seed }
      const response = await submit<ImageResponse>('generateImage', asked, call, options)
      return warned(response, warnings)
    },
    async editImage(body, given = {}) {
      const { seed, steps, guidance, negativePrompt, strength, control, ...call } = checkCall('editImage', given)
      // Both begin now: whoever calls may use the memory of its pictures again.
      const [{ request, warnings }, own] = await Promise.all([readEdit(body, call), readControl(control, call)])
      const sampling = readSampling({ seed: seed ?? request.seed, steps, guidance, negativePrompt, strength })
      const options = picturesToText({ ...sampling, ...own })
      const response = await submit<ImageResponse>('editImage', picturesToText(request), call, options)
      return warned(response, warnings)
    },
    models: async () => mergeModels((await front.readReports()).map(({ models }) => models)),
    activity: () => ({ ...front.counts, ...front.fleet.activity, missing: [] }),
    dispose,
    [Symbol.asyncDispose]: dispose,
  }
}

/** A request, which may name a model. */
interface Asked {
  readonly model?: string | undefined
}

/**
 * A name is available where some worker serves it. What a calibration would be made for is left out: workers answer with the
 * calibrations that they have, so that none can be fitted here.
 */
function mergeModels(lists: readonly (readonly ModelInfo[])[]): ModelInfo[] {
  const models = new Map<string, ModelInfo>()
  for (const { identity: _, ...model } of lists.flat()) {
    if (!models.get(model.name)?.available) models.set(model.name, model)
  }
  return [...models.values()]
}
