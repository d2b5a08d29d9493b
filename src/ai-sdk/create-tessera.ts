import {
  type Experimental_DecisionModelV4,
  type ImageModelV4,
  NoSuchModelError,
  type ProviderV4,
} from '@ai-sdk/provider'
import * as z from 'zod'
import { InvalidRequestError } from '../errors/index.ts'
import { mapOf, mustBe, optionTable, readOptions, withMethods } from '../options/index.ts'
import { createDecisionModel } from './decision-model.ts'
import { createImageModel } from './image-model.ts'
import { type Callee, createServiceCallee, type InProcessEngine, sharedEngine } from './model-calls.ts'
import { openService } from './service.ts'

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
  readonly engine?: InProcessEngine | undefined
  /**
   * Address of a service of this package, with `/v1` or without: the models run there, and not in this process. Calls may then be jobs, by
   * `background` of `TesseraProviderOptions`.
   *
   * @example
   * ```ts
   * const tessera = createTessera({ baseURL: 'http://localhost:8080', apiKey: process.env.TESSERA_KEY! })
   * ```
   */
  readonly baseURL?: string | undefined
  /**
   * Key of that service. Default: none, for a service without keys.
   *
   * @example
   * ```ts
   * const tessera = createTessera({ baseURL: 'http://localhost:8080', apiKey: process.env.TESSERA_KEY! })
   * ```
   */
  readonly apiKey?: string | undefined
  /**
   * Headers of every request to that service, for what stands before it. `headers` of a call stand before them, `apiKey` before both, and
   * `Prefer` is left out: `background` asks for jobs. Default: none.
   *
   * @example
   * ```ts
   * const tessera = createTessera({ baseURL: 'https://gateway.example', headers: { 'x-tenant': 'acme' } })
   * ```
   */
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
}

/**
 * What `providerOptions.tessera` of a call may have. All but `background` is for pictures.
 *
 * @example
 * ```ts
 * const options: TesseraProviderOptions = { background: true, steps: 8 }
 * ```
 */
export type TesseraProviderOptions = {
  /**
   * Has a service answer the call as a job, which no lost connection ends; the result is the same. The call waits for it, and its
   * `abortSignal` cancels the job, which is not charged then. Default false. An engine in this process refuses it.
   */
  readonly background?: boolean | undefined
  /** Denoising steps, 1 to 1000, over HTTP to 100. Default: what the model was made for. */
  readonly steps?: number | undefined
  /** Strength of classifier-free guidance, 0 to 100. Default: what the model was made for. */
  readonly guidance?: number | undefined
  /** What guidance leads away from; models and calls without guidance refuse it. Default: the empty prompt. */
  readonly negativePrompt?: string | undefined
  /** Of edits: how far from the first source, above 0 to 1. Default: as `EditImageCallOptions` says. */
  readonly strength?: number | undefined
  /** A picture whose edges, pose or depth the new one follows. Models without a ControlNet refuse it. */
  readonly control?:
    | {
        /** The edges, pose or depth themselves, as base64 or a data URL. */
        readonly image: string
        /** How closely it is followed, 0 to 2. Default 0.75. */
        readonly scale?: number | undefined
      }
    | undefined
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
 * A provider for the AI SDK whose models run in this process, without a server, or in a service.
 *
 * Errors of this process are those of this package; the AI SDK retries none of them. Those of a service are `APICallError`, with its
 * status and message; the AI SDK retries those that may pass.
 *
 * It needs AI SDK 7 (Node 22 or newer) and `@ai-sdk/provider` 4.0.30 or newer; AI SDK 6 refuses its models.
 *
 * @throws InvalidRequestError for a setting that is unknown or no valid value, an engine together with a `baseURL`, a key or headers without one, and an address or headers that are none
 * @example
 * ```ts
 * const tessera = createTessera()
 * const { image } = await generateSdkImage({ model: tessera.image('alpha-image-turbo'), prompt: 'an apple on a blue background' })
 * ```
 */
export function createTessera(settings: TesseraProviderSettings = {}): TesseraProvider {
  const callee = chooseCallee(readOptions(SETTINGS, settings))
  const imageModel = (modelId: string) => createImageModel(callee, modelId)
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
    decisionModel: (modelId) => createDecisionModel(callee, modelId),
    languageModel: refuse('languageModel'),
    embeddingModel: refuse('embeddingModel'),
  }
}

const SETTINGS = optionTable('createTessera', {
  engine: withMethods<InProcessEngine>(
    'an engine, such as createEngine() resolves with',
    'decide',
    'generateImage',
    'editImage',
  ).optional(),
  baseURL: z.string(mustBe('a string')).optional(),
  apiKey: z.string(mustBe('a string')).optional(),
  headers: mapOf('an object of headers', z.string(mustBe('a string'))).optional(),
} satisfies Record<keyof TesseraProviderSettings, unknown>)

function chooseCallee({ engine, baseURL, apiKey, headers }: TesseraProviderSettings): Callee {
  if (baseURL === undefined) {
    if (apiKey !== undefined) throw new InvalidRequestError('apiKey', 'is for a service: give its baseURL')
    if (headers !== undefined) throw new InvalidRequestError('headers', 'are for a service: give its baseURL')
    return { calls: () => engine ?? sharedEngine }
  }
  if (engine) throw new InvalidRequestError('engine', 'cannot be given with baseURL: the models run in one of them')
  return createServiceCallee(openService({ baseURL, apiKey, headers }))
}
