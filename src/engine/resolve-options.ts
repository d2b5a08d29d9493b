import { totalmem } from 'node:os'
import { type BackendName, countDefaultThreads } from '../backends/index.ts'
import { InvalidRequestError } from '../errors/index.ts'
import { LIMITS } from '../schemas/index.ts'
import { DEFAULT_MODELS, type ModelName } from './default-models.ts'
import type { JobKind } from './jobs.ts'

/** What serves each model name; the jobs themselves are no names of models. */
export type ModelTargets = Readonly<Partial<Record<ModelName, string>>> &
  Readonly<Partial<Record<JobKind, never>>> &
  Readonly<Partial<Record<string, string>>>

export interface EngineOptions {
  /** Default: `TESSERA_BACKEND`, else `auto`. A named backend that does not work here is an error. */
  readonly backend?: 'auto' | BackendName
  /**
   * Model name to a folder, an installed model or a hub id that serves it instead of the default. Other names are yours,
   * for the `model` of requests.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ models: { 'decide-latest': 'Qwen/Qwen3-4B', 'my-klein': './klein' } })
   * ```
   */
  readonly models?: ModelTargets
  /** Threads for one operator on the CPU. Default: `TESSERA_THREADS`, else by the number of processors and workers. */
  readonly threads?: number
  /** Runs models in a worker thread (default), or in the calling thread, which then stalls while they compute. */
  readonly worker?: boolean
  /**
   * Worker threads that calls are shared out to, each with models of its own open. On a CPU, many short calls at once are
   * done faster by several workers of few threads than by one of many; a single call is not. Default 1.
   */
  readonly workers?: number
  /**
   * Milliseconds that a model stays open after its last use; 0 closes it at once, `Infinity` never. Default 300000, five
   * minutes.
   */
  readonly keepAlive?: number
  /**
   * Bytes of weights that open models may have together. Beyond it the ones that were not used for longest are closed;
   * those in use never are, nor is the one used last. Several workers share it evenly. Default: half of the machine's memory,
   * or of the container's limit.
   */
  readonly memoryBudget?: number
  /** Calls that take turns at computing in a worker; clients that have none of them may start more, up to twice as many. Default 4. */
  readonly maxConcurrent?: number
  /**
   * Calls that wait beyond those, for each worker; more are refused at once with OverloadedError. One of a client that has no
   * other is still taken, up to twice as many. Default 64.
   */
  readonly maxQueue?: number
  /**
   * Most options of a choice, 2 or more. Default 26, as in the specification. Models that answer with letters, such as plain
   * Qwen3 checkpoints, tell 26 apart and refuse more.
   */
  readonly maxOptions?: number
  /**
   * Lets onnxruntime-node report to its maker, as it does by itself on Linux and macOS: system, processor, a device id that it
   * keeps in the home folder, and what it is told of models. The first engine of a process decides for all of it, and
   * `ORT_DISABLE_TELEMETRY` in the environment before it. Default false.
   */
  readonly runtimeTelemetry?: boolean
}

/** What a worker needs to know; plain data. */
export interface EngineSettings {
  readonly backend: 'auto' | BackendName
  readonly threads?: number
  readonly models: Readonly<Record<string, string>>
  readonly keepAlive: number
  readonly memoryBudget: number
  /** In browsers: URL of the folder with the files of onnxruntime-web. */
  readonly runtimeUrl?: string
}

export interface ResolvedOptions {
  readonly settings: EngineSettings
  readonly worker: boolean
  readonly workers: number
  readonly maxConcurrent: number
  readonly maxQueue: number
  readonly maxOptions: number
}

const KEEP_ALIVE_MS = 300_000
const BACKENDS = ['auto', 'cpu', 'cuda', 'webgpu', 'wasm', 'coreml', 'dml'] as const

/**
 * Fills in environment and defaults; options win over the environment.
 *
 * @throws InvalidRequestError naming the option or the variable
 */
export function resolveOptions(options: EngineOptions = {}, env: NodeJS.ProcessEnv = process.env): ResolvedOptions {
  requireOptions(options)
  const workers = readCount('workers', options.workers, 1) ?? 1
  if (workers > 1 && options.worker === false) {
    throw new InvalidRequestError('workers', `must be 1 where \`worker\` is false, got ${workers}`)
  }
  const named =
    options.threads === undefined
      ? readVariable('TESSERA_THREADS', env.TESSERA_THREADS)
      : readCount('threads', options.threads, 1)
  const threads = named ?? (workers > 1 ? Math.max(1, Math.floor(countDefaultThreads() / workers)) : undefined)
  const backend =
    options.backend === undefined
      ? readBackend('TESSERA_BACKEND', env.TESSERA_BACKEND || 'auto')
      : readBackend('backend', options.backend)
  return {
    settings: {
      backend,
      models: readModels(options.models ?? {}),
      ...(threads !== undefined && { threads }),
      keepAlive: readAmount('keepAlive', options.keepAlive) ?? KEEP_ALIVE_MS,
      memoryBudget: (readAmount('memoryBudget', options.memoryBudget) ?? measureMemory() / 2) / workers,
    },
    worker: options.worker ?? true,
    workers,
    maxConcurrent: readCount('maxConcurrent', options.maxConcurrent, 1) ?? 4,
    maxQueue: readCount('maxQueue', options.maxQueue, 0) ?? 64,
    maxOptions: readCount('maxOptions', options.maxOptions, LIMITS.options.min) ?? LIMITS.options.max,
  }
}

/** Of each option, to tell a misspelt one. */
const NAMES: Readonly<Record<keyof EngineOptions, true>> = {
  backend: true,
  models: true,
  threads: true,
  worker: true,
  workers: true,
  keepAlive: true,
  memoryBudget: true,
  maxConcurrent: true,
  maxQueue: true,
  maxOptions: true,
  runtimeTelemetry: true,
}

function requireOptions(options: EngineOptions): void {
  if (!isObject(options))
    throw new InvalidRequestError('options', `must be an object, got ${options === null ? 'null' : typeof options}`)
  const unknown = Object.keys(options).find((name) => !Object.hasOwn(NAMES, name))
  if (unknown !== undefined)
    throw new InvalidRequestError(unknown, `is no option of an engine; those are ${Object.keys(NAMES).join(', ')}`)
  const { models } = options
  for (const name of ['worker', 'runtimeTelemetry'] as const) {
    const given = options[name]
    if (given !== undefined && typeof given !== 'boolean')
      throw new InvalidRequestError(name, `must be true or false, got ${typeof given}`)
  }
  if (models !== undefined && !isObject(models))
    throw new InvalidRequestError('models', `must be an object of names to models, got ${typeof models}`)
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function readBackend(path: string, value: string): 'auto' | BackendName {
  const backend = BACKENDS.find((name) => name === value)
  if (backend !== undefined) return backend
  throw new InvalidRequestError(path, `must be one of ${BACKENDS.join(', ')}, got '${value}'`)
}

function readVariable(name: string, value: string | undefined): number | undefined {
  if (!value) return undefined
  const count = Number(value)
  if (Number.isSafeInteger(count) && count >= 1) return count
  throw new InvalidRequestError(name, `must be a whole number of 1 or more, got '${value}'`)
}

function readCount(path: string, value: number | undefined, least: number): number | undefined {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return value
  throw new InvalidRequestError(path, `must be a whole number of ${least} or more, got ${value}`)
}

function readAmount(path: string, value: number | undefined): number | undefined {
  if (value === undefined || value >= 0) return value
  throw new InvalidRequestError(path, `must be a number from 0, got ${value}`)
}

/** In bytes. A container may allow less than the machine has; no limit is given as 0, or as more than there is. */
function measureMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}

function readModels(models: NonNullable<EngineOptions['models']>): Record<string, string> {
  const given: Record<string, string> = {}
  for (const [name, target] of Object.entries(models)) {
    if (target === undefined) continue
    if (Object.hasOwn(DEFAULT_MODELS, name)) {
      const model = DEFAULT_MODELS[name as JobKind]
      throw new InvalidRequestError(
        `models.${name}`,
        `is a job and no model name; the model that does it is '${model}'`,
      )
    }
    if (typeof target === 'string' && target !== '') given[name] = target
    else throw new InvalidRequestError(`models.${name}`, `must be a folder, model name or hub id, got ${typeof target}`)
  }
  return given
}
