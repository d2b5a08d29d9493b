import * as z from 'zod'
import { BACKEND_NAMES, type BackendName } from '../../backends/index.ts'
import type { SymbolOptions } from '../../decide/decision-family.ts'
import type { KeptStatesOptions } from '../../decide/kept/kept-states.ts'
import type { OwnCalibration } from '../../decide/own-calibration.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { isModelName } from '../../models/find/is-model-name.ts'
import { count, flag, mapOf, mustBe, oneOf, optionTable, readOption, readOptions, text } from '../../options/index.ts'
import type { JobKind } from '../jobs.ts'
import { totalMemory } from '../memory/total-memory.ts'
import { COMMON_OPTIONS, type CommonEngineOptions } from './common-options.ts'
import { DEFAULT_MODELS, type ModelName } from './default-models.ts'
import { KEEP_STATES, type KeepStates, shareKeptStates } from './keep-states.ts'
import { type LoraOption, NAMED_LORAS, type NamedLoras } from './lora-options.ts'
import { shareOut } from './share-out.ts'

/** What serves each model name; the jobs themselves are no names of models. */
type ModelTargets = Readonly<Partial<Record<ModelName, string>>> & { readonly [Kind in JobKind]?: never } & Readonly<
    Partial<Record<string, string>>
  >

/** Where models run: in a thread of their own, in a process of their own, or in the calling thread. */
export type Place = boolean | 'process'

/** What `createEngine` takes; every field is optional. */
export interface EngineOptions extends Omit<CommonEngineOptions, 'worker'> {
  /**
   * Where models run: `true`, in a worker thread (default); `'process'`, in a process of its own, which hands
   * back what closed models took, and can crash or be killed for want of memory without the app; `false`, in the calling thread, which then stalls while they compute.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ worker: 'process' })
   * ```
   */
  readonly worker?: Place | undefined
  /**
   * What computes. `auto` takes the first of cuda, cpu and wasm that works here; a backend that is named and does not work is
   * BackendUnavailableError. Default: `TESSERA_BACKEND`, else `auto`.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ backend: 'cpu' })
   * ```
   */
  readonly backend?: 'auto' | BackendName | undefined
  /**
   * Model name to a folder, a GGUF file, an installed model or a hub id that serves it instead of the default. Other names are yours,
   * for the `model` of requests.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ models: { 'decide-latest': 'Qwen/Qwen3-4B', 'my-klein': './klein' } })
   * ```
   */
  readonly models?: ModelTargets | undefined
  /**
   * Adapters (LoRA, LoKr) that a model always computes with, by its name in requests: services offer them so, since a request over the
   * network names none. Default: none.
   *
   * @example
   * ```ts
   * const engine = await createEngine({
   *   models: { 'klein-ink': './klein' },
   *   loras: { 'klein-ink': [{ path: './ink.safetensors', scale: 0.8 }] },
   * })
   * ```
   */
  readonly loras?: Readonly<Record<string, readonly LoraOption[]>> | undefined
  /**
   * Threads that one call computes with on the CPU, 1 to 256. Default: `TESSERA_THREADS`, else all processors; on x64 with more than
   * four half of them, four at least. Several `workers` share them.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ threads: 4 })
   * ```
   */
  readonly threads?: number | undefined
  /**
   * Worker threads that calls are shared out to, 1 or more, each with models of its own open. On a CPU, many short calls at once are
   * done faster by several workers of few threads than by one of many; a single call is not. So `'auto'` has one worker with all threads, for calls that
   * are alone, pictures and models of more than 64 MiB, and starts one of a single thread for each of `threads`, up to 8, when calls come together. It is 1 with
   * `keepStates`, with one thread, unless `worker` is true, and where memory is short. On other backends than `cpu` the first has all calls, and the others are never started. Default 1; `tessera serve` has `'auto'`.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ workers: 'auto' })
   * ```
   */
  readonly workers?: number | 'auto' | undefined
  /**
   * Bytes of memory that open models may take together: what is predicted of them on a processor, of small models and on devices
   * the size of their files. Beyond it the ones that were not used for longest are closed; those in use never are, nor is the one
   * used last. Image models that are larger work in stages: their parts are opened when it is their turn, and closed for the next. Several workers share it evenly. Default: half of the machine's memory,
   * or of the container's limit.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ memoryBudget: 4e9 })
   * ```
   */
  readonly memoryBudget?: number | undefined
  /**
   * Keeps what the model read of a state, so that a call of the same `client` with the same state and other questions costs its questions only;
   * its answers are the same. What is kept is in memory alone, and zeroed when it goes. Of decide-mini, models of its kind and language models on a processor; other
   * encoders, and language models on WebGPU, read the state with every call, with this option too. Default: nothing is kept.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ keepStates: { bytes: 256e6, seconds: 60 } })
   * ```
   */
  readonly keepStates?: KeepStates | undefined
  /**
   * Lets onnxruntime-node report to its maker, as it does by itself on Linux and macOS: system, processor, a device id that it
   * keeps in the home folder, and what it is told of models. The first engine of a process decides for all of it, and
   * `ORT_DISABLE_TELEMETRY` in the environment before it. Default false.
   *
   * @example
   * ```ts
   * const engine = await createEngine({ runtimeTelemetry: true })
   * ```
   */
  readonly runtimeTelemetry?: boolean | undefined
}

/** What a worker needs to know; plain data. */
export interface EngineSettings {
  readonly backend: 'auto' | BackendName
  readonly threads?: number
  readonly models: Readonly<Record<string, string>>
  readonly symbols?: SymbolOptions
  readonly keepAlive: number
  readonly memoryBudget: number
  /** What one worker keeps. @defaultValue nothing */
  readonly keepStates?: KeptStatesOptions
  /** URL of the folder with the files of onnxruntime-web, for browsers only. */
  readonly runtimeUrl?: string
}

export interface ResolvedOptions {
  readonly settings: EngineSettings
  /** Of all workers but the first, where these are for small models only. */
  readonly narrow?: EngineSettings
  readonly worker: Place
  readonly workers: number
  readonly maxConcurrent: number
  readonly maxQueue: number | undefined
  readonly maxOptions: number
  readonly preload: readonly string[]
  readonly loras?: NamedLoras
  readonly calibration?: OwnCalibration
}

const BACKEND = oneOf(['auto', ...BACKEND_NAMES])
const THREADS = count(1, 256)

const ENGINE_OPTIONS = optionTable('an engine', {
  backend: BACKEND.optional(),
  models: mapOf('an object of names to models', text('a folder, model name or hub id')).default({}),
  loras: NAMED_LORAS.default({}),
  ...COMMON_OPTIONS,
  worker: z.union([z.boolean(), z.literal('process')], mustBe("true, false or 'process'")).default(true),
  workers: z.union([count(1), z.literal('auto')], mustBe("a whole number of 1 or more, or 'auto'")).default(1),
  keepStates: KEEP_STATES.optional(),
  runtimeTelemetry: flag.default(false),
} satisfies Record<keyof EngineOptions, unknown>)

/**
 * Fills in environment and defaults; options win over the environment.
 *
 * @throws InvalidRequestError naming the option or the variable
 */
export function resolveOptions(options: EngineOptions = {}, env: NodeJS.ProcessEnv = process.env): ResolvedOptions {
  const given = readOptions(ENGINE_OPTIONS, options)
  const {
    models,
    keepAlive,
    memoryBudget,
    worker,
    workers,
    maxConcurrent,
    maxQueue,
    maxOptions,
    bothOrders,
    symbolMass,
    keepStates,
  } = given
  if (workers !== 'auto' && workers > 1 && !worker) {
    throw new InvalidRequestError('workers', `must be 1 where \`worker\` is false, got ${workers}`)
  }
  refuseJobs(models)
  refuseStrangers(given.loras, models)
  const shares = shareOut({
    workers,
    threads: given.threads ?? readThreads(env.TESSERA_THREADS),
    memoryBudget: memoryBudget ?? totalMemory() / 2,
    isSingle: worker !== true || keepStates !== undefined,
  })
  const common = {
    backend: given.backend ?? readOption('TESSERA_BACKEND', BACKEND, env.TESSERA_BACKEND || 'auto'),
    models,
    symbols: { bothOrders, symbolMass },
    keepAlive,
    ...(keepStates && { keepStates: shareKeptStates(keepStates, shares.workers) }),
  }
  return {
    settings: { ...common, ...shares.wide },
    ...(shares.narrow && { narrow: { ...common, ...shares.narrow } }),
    worker,
    workers: shares.workers,
    maxConcurrent,
    maxQueue,
    maxOptions,
    preload: given.preload,
    loras: given.loras,
    ...(given.calibration && { calibration: given.calibration }),
  }
}

function refuseJobs(models: Readonly<Record<string, string>>): void {
  const name = Object.keys(models).find((name) => Object.hasOwn(DEFAULT_MODELS, name))
  if (name === undefined) return
  const model = DEFAULT_MODELS[name as JobKind]
  throw new InvalidRequestError(`models.${name}`, `is a job and no model name; the model that does it is '${model}'`)
}

/** A name that is misspelt would leave its model without them. */
function refuseStrangers(loras: NamedLoras, models: Readonly<Record<string, string>>): void {
  const name = Object.keys(loras).find((name) => !Object.hasOwn(models, name) && !isModelName(name))
  if (name !== undefined) throw new InvalidRequestError(`loras.${name}`, 'is no name of a model in `models`')
}

/** An empty variable is as good as none. */
function readThreads(variable: string | undefined): number | undefined {
  if (!variable) return undefined
  return readOption('TESSERA_THREADS', THREADS, /^\d+$/.test(variable) ? Number(variable) : variable)
}
