import { createEngine, type Engine, type EngineOptions } from '../engine/index.ts'
import { readNumber } from './read-request.ts'

/** Arguments of every command that runs a model. */
export const engineArguments = {
  backend: { type: 'string', description: 'auto, cpu, cuda, webgpu, wasm, coreml or dml', valueHint: 'name' },
  threads: { type: 'string', description: 'threads for one operator', valueHint: 'n' },
  use: { type: 'string', description: 'model that answers: a folder or a downloaded hub id', valueHint: 'folder|id' },
} as const

export interface EngineArguments {
  readonly backend?: string | undefined
  readonly threads?: string | undefined
  readonly workers?: string | undefined
  readonly use?: string | undefined
}

/**
 * The engine that the arguments ask for; the engine itself checks their values.
 *
 * @param name model name of requests that `--use` is for
 */
export function openEngine({ backend, threads, workers, use }: EngineArguments, name = 'decide-latest'): Promise<Engine> {
  return createEngine({
    ...(backend === undefined ? {} : { backend: backend as NonNullable<EngineOptions['backend']> }),
    ...(threads === undefined ? {} : { threads: readNumber(threads) }),
    ...(workers === undefined ? {} : { workers: readNumber(workers) }),
    ...(use === undefined ? {} : { models: { [name]: use } }),
  })
}
