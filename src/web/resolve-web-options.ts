import type { ResolvedOptions } from '../engine/resolve-options.ts'
import { InvalidRequestError } from '../errors/index.ts'
import { EMBEDDED_MODELS } from '../models/embedded-models.ts'
import { LIMITS } from '../schemas/index.ts'

export interface WebEngineOptions {
  /**
   * URL of the folder with the files of onnxruntime-web (`ort-wasm-*.wasm` and `.mjs` in
   * `node_modules/onnxruntime-web/dist`), which the app serves. Nothing is ever loaded from elsewhere.
   */
  readonly runtimeUrl: string
  /** URL of a folder with the models of this package (`node_modules/tessera-onnx/models`). Default: none of them. */
  readonly modelsUrl?: string
  /** Model name to the URL of a folder with its files, instead of or beside those of `modelsUrl`. */
  readonly models?: Readonly<Record<string, string>>
  /** Default `auto`: WebGPU where a device computes right, else WebAssembly. */
  readonly backend?: 'auto' | 'webgpu' | 'wasm'
  /**
   * Threads of WebAssembly on a page that is cross-origin isolated; any other has one. Default: half of the processors.
   */
  readonly threads?: number
  /** Runs models in a worker (default), or in the calling thread, which then stalls while they compute. */
  readonly worker?: boolean
  /**
   * Makes the worker, for bundlers that don't follow `new URL(..., import.meta.url)`. Its script is
   * `tessera-onnx/web/worker`.
   */
  readonly createWorker?: () => Worker
  /** Milliseconds that a model stays open after its last use; 0 closes it at once, `Infinity` never. Default 300000. */
  readonly keepAlive?: number
  /** Bytes of weights that open models may have together. Default 1e9. */
  readonly memoryBudget?: number
  /** Calls that take turns at computing. Default 4. */
  readonly maxConcurrent?: number
  /** Calls that wait beyond those; more are refused at once with OverloadedError. Default 64. */
  readonly maxQueue?: number
  /** Most options of a choice, 2 or more; default 26. Models that answer with letters refuse more. */
  readonly maxOptions?: number
}

const BACKENDS = ['auto', 'webgpu', 'wasm'] as const

/**
 * Fills in defaults and makes URLs absolute, since a worker has another base.
 *
 * @throws InvalidRequestError naming the option
 */
export function resolveWebOptions(options: WebEngineOptions, base: string): ResolvedOptions {
  const { backend = 'auto', threads, modelsUrl } = options
  if (!BACKENDS.includes(backend)) {
    throw new InvalidRequestError('backend', `must be one of ${BACKENDS.join(', ')}, got '${backend}'`)
  }
  const embedded = modelsUrl === undefined ? {} : EMBEDDED_MODELS
  const models = Object.entries(embedded).map(([name, folder]) => [
    name,
    absolute('modelsUrl', `${withoutSlash(modelsUrl!)}/${folder}`, base),
  ])
  const given = Object.entries(options.models ?? {}).map(([name, url]) => [name, absolute(`models.${name}`, url, base)])
  return {
    settings: {
      backend,
      runtimeUrl: `${absolute('runtimeUrl', options.runtimeUrl, base)}/`,
      models: Object.fromEntries([...models, ...given]),
      ...(threads !== undefined && { threads: readCount('threads', threads, 1) }),
      keepAlive: readAmount('keepAlive', options.keepAlive ?? 300_000),
      memoryBudget: readAmount('memoryBudget', options.memoryBudget ?? 1e9),
    },
    worker: options.worker ?? true,
    workers: 1,
    maxConcurrent: readCount('maxConcurrent', options.maxConcurrent ?? 4, 1),
    maxQueue: readCount('maxQueue', options.maxQueue ?? 64, 0),
    maxOptions: readCount('maxOptions', options.maxOptions ?? LIMITS.options.max, LIMITS.options.min),
  }
}

function absolute(path: string, url: unknown, base: string): string {
  if (typeof url === 'string' && URL.canParse(url, base)) {
    const { href, search, hash } = new URL(url, base)
    if (search === '' && hash === '') return withoutSlash(href)
    // Names of files go behind it.
    throw new InvalidRequestError(path, 'must be the URL of a folder, without a query or fragment')
  }
  throw new InvalidRequestError(path, `must be a URL, got ${typeof url === 'string' ? `'${url}'` : typeof url}`)
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}

function readCount(path: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value
  throw new InvalidRequestError(path, `must be a whole number of ${least} or more, got ${value}`)
}

function readAmount(path: string, value: number): number {
  if (value >= 0) return value
  throw new InvalidRequestError(path, `must be a number from 0, got ${value}`)
}
