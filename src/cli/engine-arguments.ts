import { createEngine, type Engine, type EngineOptions } from '../engine/index.ts'
import { parseJson, readNamedText, readNumber } from './read-request.ts'

/** Name of a request to what serves it. */
type Models = Readonly<Record<string, string>>

/** Arguments of every command that runs a model. */
export const engineArguments = {
  backend: { type: 'string', description: 'auto, cpu, cuda, webgpu, wasm, coreml or dml', valueHint: 'name' },
  threads: { type: 'string', description: 'threads for one operator', valueHint: 'n' },
  use: {
    type: 'string',
    description: 'model that answers: a folder, a GGUF file or a downloaded hub id',
    valueHint: 'path|id',
  },
} as const

/** For commands that make decisions. */
export const calibrationArgument = {
  calibration: {
    type: 'string',
    description: 'file of corrections that tessera calibrate made',
    valueHint: 'file',
  },
} as const

/** For commands whose models may answer with letters, digits or yes and no. */
export const orderArgument = {
  'both-orders': {
    type: 'boolean',
    description: 'ask models that answer with letters twice, options given and reversed, and take the mean',
  },
} as const

export interface EngineArguments {
  readonly backend?: string | undefined
  readonly threads?: string | undefined
  readonly workers?: string | undefined
  readonly isolate?: boolean | undefined
  readonly use?: string | undefined
  readonly calibration?: string | undefined
  readonly 'both-orders'?: boolean | undefined
  readonly 'symbol-mass'?: boolean | undefined
}

/** The engine that the arguments ask for, with `models` by name of a request; the engine itself checks their values. */
export async function openEngine(
  {
    backend,
    threads,
    workers,
    isolate,
    calibration,
    'both-orders': bothOrders,
    'symbol-mass': symbolMass,
  }: EngineArguments,
  models: Models,
  loras: NonNullable<EngineOptions['loras']> = {},
): Promise<Engine> {
  return createEngine({
    ...(backend === undefined ? {} : { backend: backend as NonNullable<EngineOptions['backend']> }),
    ...(threads === undefined ? {} : { threads: readNumber('--threads', threads) }),
    ...(workers === undefined ? {} : { workers: readNumber('--workers', workers) }),
    ...(isolate ? { worker: 'process' as const } : {}),
    ...(calibration === undefined ? {} : { calibration: await readCalibration(calibration) }),
    ...(bothOrders === undefined ? {} : { bothOrders }),
    ...(symbolMass === undefined ? {} : { symbolMass }),
    models,
    loras,
  })
}

/** What `--use` says for a command that asks for one model alone, by that model's name. */
export function useFor(name: string, { use }: EngineArguments): Models {
  return use === undefined ? {} : { [name]: use }
}

/** The engine checks what is in it. */
async function readCalibration(file: string): Promise<NonNullable<EngineOptions['calibration']>> {
  return parseJson(await readNamedText(file, '--calibration'), '--calibration') as NonNullable<
    EngineOptions['calibration']
  >
}
