import { createEngine, type Engine, type EngineOptions } from '../engine/index.ts'
import { type EngineArguments, type Models, readMaxOptions } from './engine-arguments.ts'
import { parseJson, readNamedText, readNumber } from './read-request.ts'
import { readSize } from './read-size.ts'

/** The engine that the arguments ask for, with `models` by name of a request; the engine itself checks their values. */
export async function openEngine(
  {
    backend,
    threads,
    workers,
    isolate,
    'keep-states': keepStates,
    calibration,
    'both-orders': bothOrders,
    'symbol-mass': symbolMass,
    ...limits
  }: EngineArguments,
  models: Models,
  loras: NonNullable<EngineOptions['loras']> = {},
): Promise<Engine> {
  return createEngine({
    ...(backend === undefined ? {} : { backend: backend as NonNullable<EngineOptions['backend']> }),
    ...(threads === undefined ? {} : { threads: readNumber('--threads', threads) }),
    ...(workers === undefined ? {} : { workers: workers === 'auto' ? workers : readNumber('--workers', workers) }),
    ...(isolate ? { worker: 'process' as const } : {}),
    ...(keepStates === undefined ? {} : { keepStates: { bytes: readSize('--keep-states', keepStates) } }),
    ...(calibration === undefined ? {} : { calibration: await readCalibration(calibration) }),
    ...(bothOrders === undefined ? {} : { bothOrders }),
    ...(symbolMass === undefined ? {} : { symbolMass }),
    ...readMaxOptions(limits),
    models,
    loras,
  })
}

/** The engine checks what is in it. */
export async function readCalibration(file: string): Promise<NonNullable<EngineOptions['calibration']>> {
  return parseJson(await readNamedText(file, '--calibration'), '--calibration') as NonNullable<
    EngineOptions['calibration']
  >
}
