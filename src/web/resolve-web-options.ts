import { COMMON_OPTIONS, type CommonEngineOptions } from '../engine/options/common-options.ts'
import type { ResolvedOptions } from '../engine/options/resolve-options.ts'
import { InvalidRequestError } from '../errors/index.ts'
import { EMBEDDED_MODELS } from '../models/find/embedded-models.ts'
import { callback, mapOf, oneOf, optionTable, readOptions, text } from '../options/index.ts'

/** What `createEngine` takes in browsers. */
export interface WebEngineOptions extends CommonEngineOptions {
  /**
   * URL of the folder with the files of onnxruntime-web (`ort-wasm-*.wasm` and `.mjs` in
   * `node_modules/onnxruntime-web/dist`), which the app serves. Nothing is ever loaded from elsewhere.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' })
   * ```
   */
  readonly runtimeUrl: string
  /**
   * URL of a folder with the models of this package (`node_modules/tessera-onnx/models`). Default: none of them.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', modelsUrl: '/models/' })
   * ```
   */
  readonly modelsUrl?: string | undefined
  /**
   * Model name to the URL of a folder with its files, instead of or beside those of `modelsUrl`.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', models: { 'decide-latest': '/my-model/' } })
   * ```
   */
  readonly models?: Readonly<Partial<Record<string, string>>> | undefined
  /**
   * Default `auto`: WebGPU where a device computes right, else WebAssembly, which is faster than a device in software; that is used by name only.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', backend: 'wasm' })
   * ```
   */
  readonly backend?: 'auto' | 'webgpu' | 'wasm' | undefined
  /**
   * Threads of WebAssembly on a page that is cross-origin isolated; any other has one. Default: half of the processors.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', threads: 4 })
   * ```
   */
  readonly threads?: number | undefined
  /**
   * Makes a new worker, for bundlers that don't follow `new URL(..., import.meta.url)`. Its script is
   * `tessera-onnx/web/worker`.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', createWorker: () => new Worker('/tessera-worker.js', { type: 'module' }) })
   * ```
   */
  readonly createWorker?: (() => Worker) | undefined
  /**
   * Bytes of weights that open models may have together. Beyond it the ones that were not used for longest are closed;
   * those in use never are, nor is the one used last. Default 1e9.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeUrl: '/onnxruntime/', memoryBudget: 2e9 })
   * ```
   */
  readonly memoryBudget?: number | undefined
}

const ENGINE_OPTIONS = optionTable('an engine in browsers', {
  runtimeUrl: text('a URL'),
  modelsUrl: text('a URL').optional(),
  models: mapOf('an object of names to URLs', text('a URL')).default({}),
  backend: oneOf(['auto', 'webgpu', 'wasm']).default('auto'),
  createWorker: callback<() => Worker>().optional(),
  ...COMMON_OPTIONS,
} satisfies Record<keyof WebEngineOptions, unknown>)

/** Of an engine in browsers, which cannot ask how much memory there is. */
const MEMORY_BUDGET = 1e9

/**
 * Fills in defaults and makes URLs absolute, since a worker has another base.
 *
 * @throws InvalidRequestError naming the option
 */
export function resolveWebOptions(options: WebEngineOptions, base: string): ResolvedOptions {
  const given = readOptions(ENGINE_OPTIONS, options)
  const { backend, runtimeUrl, modelsUrl, threads, keepAlive, memoryBudget = MEMORY_BUDGET } = given
  const { worker, maxConcurrent, maxQueue, maxOptions, bothOrders, symbolMass } = given
  const models: Record<string, string> = {}
  if (modelsUrl !== undefined) {
    const folders = Object.entries(EMBEDDED_MODELS)
    for (const [name, folder] of folders) models[name] = `${absolute('modelsUrl', modelsUrl, base)}/${folder}`
  }
  for (const [name, url] of Object.entries(given.models)) {
    models[name] = absolute(`models.${name}`, url, base)
  }
  return {
    settings: {
      backend,
      runtimeUrl: `${absolute('runtimeUrl', runtimeUrl, base)}/`,
      models,
      ...(threads !== undefined && { threads }),
      symbols: { bothOrders, symbolMass },
      keepAlive,
      memoryBudget,
    },
    worker,
    workers: 1,
    maxConcurrent,
    maxQueue,
    maxOptions,
    preload: given.preload,
    ...(given.calibration && { calibration: given.calibration }),
  }
}

function absolute(path: string, url: string, base: string): string {
  if (!URL.canParse(url, base)) {
    // A worker made of a blob has an address that nothing lies beside.
    const what = URL.canParse(url, 'https://host')
      ? `an absolute URL in a script of ${new URL(base).protocol}`
      : 'a URL'
    throw new InvalidRequestError(path, `must be ${what}, got '${url}'`)
  }
  const resolved = new URL(url, base)
  if (URL.canParse(url) && (resolved.username !== '' || resolved.password !== '')) {
    throw new InvalidRequestError(path, 'must have no user name and password: browsers load nothing from such a URL')
  }
  // Relative ones have those that the page was opened with, which browsers send by themselves.
  Object.assign(resolved, { username: '', password: '' })
  if (resolved.search === '' && resolved.hash === '') return resolved.href.replace(/\/+$/, '')
  // Names of files go behind it.
  throw new InvalidRequestError(path, 'must be the URL of a folder, without a query or fragment')
}
