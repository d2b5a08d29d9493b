import {
  type Experimental_DecisionModelV4,
  type ImageModelV4,
  NoSuchModelError,
  type ProviderV4,
} from '@ai-sdk/provider'
import { createDecisionModel } from './decision-model.ts'
import { createImageModel } from './image-model.ts'
import { type InProcessEngine, sharedEngine } from './in-process-engine.ts'

/** What `createTessera` is given. */
export interface TesseraProviderSettings {
  /**
   * Runs the models. It stays the caller's to dispose. Default: the engine that the functions of the package share.
   *
   * @example
   * ```ts
   * const tessera = createTessera({ engine: await createEngine({ threads: 2 }) })
   * ```
   */
  readonly engine?: InProcessEngine
}

/** The provider for the AI SDK: functions that give its models by name. */
export interface TesseraProvider extends ProviderV4 {
  /**
   * For `generateImage`, with pictures in the prompt for edits; such as `alpha-image-turbo` or `beta-klein-4b`.
   *
   * @example
   * ```ts
   * const model = createTessera().image('alpha-image-turbo')
   * ```
   */
  image(modelId: string): ImageModelV4
  /**
   * The same, by the name that registries use.
   *
   * @example
   * ```ts
   * const model = createTessera().imageModel('beta-klein-4b')
   * ```
   */
  imageModel(modelId: string): ImageModelV4
  /**
   * For `experimental_decide`; such as `decide-latest`.
   *
   * @example
   * ```ts
   * const model = createTessera().decisionModel('decide-latest')
   * ```
   */
  decisionModel(modelId: string): Experimental_DecisionModelV4
}

/**
 * A provider for the AI SDK whose models run in this process, without a server.
 *
 * Errors are those of this package; the AI SDK retries none of them.
 *
 * @example
 * ```ts
 * const tessera = createTessera()
 * const { image } = await generateSdkImage({ model: tessera.image('alpha-image-turbo'), prompt: 'an apple on a blue background' })
 * ```
 */
export function createTessera({ engine = sharedEngine }: TesseraProviderSettings = {}): TesseraProvider {
  const imageModel = (modelId: string) => createImageModel(engine, modelId)
  const refuse =
    (modelType: 'languageModel' | 'embeddingModel') =>
    (modelId: string): never => {
      throw new NoSuchModelError({
        modelId,
        modelType,
        message: `tessera has no ${modelType}, only images and decisions`,
      })
    }
  return {
    specificationVersion: 'v4',
    image: imageModel,
    imageModel,
    decisionModel: (modelId) => createDecisionModel(engine, modelId),
    languageModel: refuse('languageModel'),
    embeddingModel: refuse('embeddingModel'),
  }
}
