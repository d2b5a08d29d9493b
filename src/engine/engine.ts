import type { TokenCount } from '../decide/index.ts'
import type {
  DecisionRequestInput,
  DecisionResponse,
  EditImageRequest,
  ExactDecisionRequest,
  GivenThreshold,
  ImageGenerationRequestInput,
  ImageResponse,
  QuestionsInput,
  ResponseTo,
  ThresholdInput,
} from '../schemas/index.ts'
import type { CallOptions, LoadOptions } from './calls/call-options.ts'
import type { DecideManyOptions, DecisionOutcome, DecisionRequests } from './calls/decide-many.ts'
import type { EditImageCallOptions, ImageCallOptions } from './calls/image-call-options.ts'
import type { Place } from './options/resolve-options.ts'
import type { EngineActivity } from './pool/activity.ts'
import type { BackendInfo } from './pool/protocol.ts'
import type { ModelDescription } from './worker/task.ts'

/** Which backend the engine runs on, and on how many threads of Node. */
export interface EngineBackendInfo extends BackendInfo {
  /** Whether models run in a worker thread, or in a process of their own. */
  readonly worker: Place
  /** Workers that calls are shared out to. */
  readonly workers: number
}

/** What serves a name that requests may give. */
export interface ModelInfo extends Partial<ModelDescription> {
  /** Name a request may give, such as `decide-latest`. */
  readonly name: string
  /** Model that serves it; absent where none is installed. */
  readonly id?: string
  /** Whether the model is installed, so that requests may give the name. */
  readonly available: boolean
  /** Why not, and the command that installs it if there is one. */
  readonly reason?: string
}

/** Models that are open, a queue before them, and the calls that use them; `createEngine` makes one. */
export interface Engine extends AsyncDisposable {
  /**
   * Most options of a choice that it takes, as its option of that name says; 26 where it is absent. `evaluate` and `calibrate` read it.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ maxOptions: 50 })
   * console.log(engine.maxOptions) // 50
   * ```
   */
  readonly maxOptions?: number
  /**
   * Answers 1 to 32 questions about a state with calibrated probabilities.
   *
   * @example
   * ```ts
   * const engine = await createEngine()
   * const { answers } = await engine.decide({
   *   state: 'I was charged twice and want my money back.',
   *   questions: { team: { type: 'choice', instructions: 'Who?', criteria: { billing: 'Payments', tech: 'Bugs' } } },
   * })
   * answers.team.choice // 'billing' | 'tech'
   * ```
   *
   * @throws InvalidRequestError, ModelNotFoundError, ModelFormatError, InsufficientMemoryError, AbortedError, OverloadedError,
   * WorkerCrashedError, EngineDisposedError; in browsers also DownloadFailedError
   */
  decide<const Questions extends QuestionsInput, const Threshold extends ThresholdInput = ThresholdInput>(
    request: ExactDecisionRequest<Questions, Threshold> & GivenThreshold<Threshold>,
    options?: CallOptions,
  ): Promise<DecisionResponse<Questions, Threshold>>
  /**
   * Decides on many requests, a few at a time, and yields their outcomes in their order. A request that cannot be answered
   * is an outcome with `error`, and the others go on. Requests are read as their outcomes are taken, so that they may come
   * from a file or a database; leaving the loop stops the work.
   *
   * @example
   * ```ts
   * const engine = await createEngine()
   * const questions = { refund: { type: 'noul', instructions: 'Does the writer want money back?' } } as const
   * const requests = ['I was charged twice', 'How do I log in?'].map((state) => ({ state, questions }))
   * for await (const { index, response, error } of engine.decideMany(requests, { concurrency: 4 })) {
   *   console.log(index, response?.answers ?? error?.message)
   * }
   * ```
   *
   * @throws InvalidRequestError for the options; AbortedError when the signal fires; EngineDisposedError; what `requests` throws, after the
   * outcomes of all that came before
   */
  decideMany<const Request extends DecisionRequestInput>(
    requests: DecisionRequests<Request>,
    options?: DecideManyOptions<ResponseTo<Request>>,
  ): AsyncGenerator<DecisionOutcome<ResponseTo<Request>>, void, undefined>
  /**
   * What `decide` would count for the same request, without running it. Throws as `decide` does.
   *
   * @example
   * ```ts
   * const { input_tokens } = await engine.countTokens(request)
   * ```
   */
  countTokens(request: DecisionRequestInput, options?: CallOptions): Promise<TokenCount>
  /**
   * Draws pictures from words. Without a seed each call draws others; image k of a request is the one that `seed + k`
   * gives. Seeds that agree in their low 32 bits give the same picture.
   *
   * @example
   * ```ts
   * const engine = await createEngine()
   * const { data } = await engine.generateImage({ prompt: 'an apple on a blue background', size: '256x256', seed: 7 })
   * ```
   *
   * @throws InvalidRequestError, ModelNotFoundError, ModelFormatError, InsufficientMemoryError, AbortedError, OverloadedError,
   * WorkerCrashedError, EngineDisposedError; in browsers also DownloadFailedError
   */
  generateImage(request: ImageGenerationRequestInput, options?: ImageCallOptions): Promise<ImageResponse>
  /**
   * Changes a picture, or makes one out of several, as the prompt says. Sources are PNG, JPEG or WebP: as bytes,
   * `Blob`, base64, data URL, or in Node the URL of a file. Throws as `generateImage` does.
   *
   * @example
   * ```ts
   * const engine = await createEngine()
   * const { data } = await engine.generateImage({ prompt: 'an apple on a blue background', seed: 7 })
   * const edited = await engine.editImage({ prompt: 'change the background to yellow', image: data[0].b64_json })
   * ```
   */
  editImage(request: EditImageRequest, options?: EditImageCallOptions): Promise<ImageResponse>
  /**
   * Opens a model in every worker that may have calls for it, which the first of these would otherwise do, and has it answer once.
   *
   * @param name Of a request, such as `decide-latest`.
   *
   * @example
   * ```ts
   * const engine = await createEngine()
   * await engine.load('alpha-image-turbo', { onProgress: ({ stage, done, total }) => console.log(stage, done, total) })
   * ```
   *
   * @throws InvalidRequestError, ModelNotFoundError, ModelFormatError, InsufficientMemoryError, DownloadFailedError, AbortedError, OverloadedError,
   * WorkerCrashedError, EngineDisposedError
   */
  load(name: string, options?: LoadOptions): Promise<void>
  /**
   * The model names of requests and what serves each here.
   *
   * @example
   * ```ts
   * for (const { name, id, available } of await engine.models()) console.log(name, available ? id : 'not installed')
   * ```
   */
  models(): Promise<ModelInfo[]>
  /**
   * The backend that really runs and why it was chosen.
   *
   * @example
   * ```ts
   * const { backend, reason } = engine.backendInfo()
   * console.log(backend, reason)
   * ```
   */
  backendInfo(): EngineBackendInfo
  /**
   * What it does at this moment, and what became of the models it opened; for metrics.
   *
   * @example
   * ```ts
   * const { waiting, running } = engine.activity()
   * console.log(waiting, running)
   * ```
   */
  activity(): EngineActivity
  /**
   * Rejects pending calls with EngineDisposedError and frees everything. Safe to call twice.
   *
   * @example
   * ```ts
   * const engine = await createEngine()
   * await engine.dispose()
   * ```
   */
  dispose(): Promise<void>
}
