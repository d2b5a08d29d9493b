import { createEngine, type Engine, type EngineOptions } from '../engine/index.ts'
import { type EngineArguments, type Models, readMaxOptions } from './engine-arguments.ts'
import { parseJson, readNamedText } from './read-file.ts'
import { readOptionalNumber } from './read-number.ts'
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
    backend: backend as EngineOptions['backend'],
    threads: readOptionalNumber('--threads', threads),
    workers: workers === 'auto' ? workers : readOptionalNumber('--workers', workers),
    worker: isolate ? 'process' : undefined,
    keepStates: keepStates === undefined ? undefined : { bytes: readSize('--keep-states', keepStates) },
    calibration: calibration === undefined ? undefined : await readCalibration(calibration),
    bothOrders,
    symbolMass,
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
