import { APICallError } from '@ai-sdk/provider'
import type { EditImageCallOptions, Engine } from '../engine/index.ts'
import { decide, editImage, generateImage } from '../engine/index.ts'
import { InvalidRequestError } from '../errors/index.ts'
import type {
  DecisionRequestInput,
  DecisionResponse,
  ImageEditRequestInput,
  ImageGenerationRequestInput,
  ImageResponse,
} from '../schemas/index.ts'
import type { CallHeaders } from './call-headers.ts'
import { runJob } from './run-job.ts'
import type { Service } from './service.ts'

/** What a provider asks of an engine. */
export type InProcessEngine = Pick<Engine, 'decide' | 'generateImage' | 'editImage'>

type Pictures = Promise<Pick<ImageResponse, 'data' | 'warnings'>>
type Signal = Pick<EditImageCallOptions, 'signal'>

/** The same, wherever the models run. */
export interface ModelCalls {
  decide(request: DecisionRequestInput, call: Signal): Promise<Omit<DecisionResponse, 'latency_ms'>>
  generateImage(request: ImageGenerationRequestInput, call: Omit<EditImageCallOptions, 'seed'>): Pictures
  editImage(request: ImageEditRequestInput, call: EditImageCallOptions): Pictures
}

/** Where the calls of a provider go. */
export interface Callee {
  /** @param headers for a service; an engine in this process has none */
  calls(headers?: CallHeaders): ModelCalls
  /** Calls that are answered as jobs; undefined where there are none. */
  readonly background?: (headers?: CallHeaders) => ModelCalls
}

/** The engine that the functions of the package share; it starts with the first call. */
export const sharedEngine: InProcessEngine = { decide, generateImage, editImage }

/** The models of a service: each call is one request, or one job. */
export function createServiceCallee(service: Service): Callee {
  return {
    calls: (given) =>
      createCalls((path, body, signal) =>
        service.send(path, { method: 'POST', body, given, signal }).catch(sayTooLong),
      ),
    background: (given) => {
      const sending: Service = { send: (path, own) => service.send(path, { ...own, given }) }
      return createCalls((path, body, signal) => runJob(sending, path, body, signal))
    },
  }
}

/** A try of the AI SDK's own would begin the work anew, and have no answer in time either. */
function sayTooLong(error: unknown): never {
  if (!APICallError.isInstance(error) || !isTooLate(error.cause)) throw error
  const message =
    'the service gave no answer in the time that fetch waits for one, 300 s unless it is told otherwise; set ' +
    'providerOptions.tessera.background to true, for a job that may take longer'
  throw new APICallError({ message, url: error.url, requestBodyValues: {}, cause: error.cause, isRetryable: false })
}

/** Whether it is what Node's `fetch` throws where the headers of an answer do not come in time. */
function isTooLate(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined
  return cause instanceof Error && (cause as NodeJS.ErrnoException).code === 'UND_ERR_HEADERS_TIMEOUT'
}

/** @throws InvalidRequestError for a `background` that cannot be had */
export function chooseCalls(
  { calls, background }: Callee,
  options: Partial<Record<string, unknown>> = {},
  headers?: CallHeaders,
): ModelCalls {
  const wanted = options['background']
  if (wanted === undefined || wanted === false) return calls(headers)
  if (wanted !== true) throw new InvalidRequestError('background', 'must be true or false')
  if (background) return background(headers)
  throw new InvalidRequestError(
    'background',
    'is for the models of a service: give createTessera its baseURL, or leave it out, as an engine in this process ends with it',
  )
}

/** Fields of bodies are those of requests, and what the options of calls are called over HTTP. */
function createCalls(ask: (path: string, body: object, signal?: AbortSignal) => Promise<unknown>): ModelCalls {
  return {
    decide: (request, { signal }) => ask('v1/systemone', request, signal) as ReturnType<ModelCalls['decide']>,
    generateImage: (request, { signal, ...options }) =>
      ask('v1/images/generations', { ...request, ...toFields(options) }, signal) as Pictures,
    editImage: (request, { signal, ...options }) =>
      ask('v1/images/edits', { ...request, ...toFields(options) }, signal) as Pictures,
  }
}

function toFields({ steps, guidance, negativePrompt, strength, control, seed }: EditImageCallOptions): object {
  return {
    ...(steps !== undefined && { steps }),
    ...(guidance !== undefined && { guidance }),
    ...(negativePrompt !== undefined && { negative_prompt: negativePrompt }),
    ...(strength !== undefined && { strength }),
    ...(control !== undefined && { control }),
    ...(seed !== undefined && { seed }),
  }
}
