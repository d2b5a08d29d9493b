import type { Engine } from '../../engine/index.ts'
import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { type EngineArguments, readMaxOptions } from '../engine-arguments.ts'
import { readNamedLoras } from '../lora-arguments.ts'
import { openEngine } from '../open-engine.ts'
import { readServed, requireServed } from '../served-models.ts'

type ServedArguments = EngineArguments & { readonly preload: boolean; readonly lora?: string | undefined }

/** What a service answers with that has its models itself, and `preload`, which opens those of `--preload`. */
export async function openModels(args: ServedArguments) {
  const served = readServed(args.use)
  const engine = await openEngine({ ...args, workers: args.workers ?? 'auto' }, served, readNamedLoras(args.lora))
  try {
    await requireServed(engine, served)
    const requires = Object.keys(served)
    return {
      engine,
      requires,
      ...readMaxOptions(args),
      preload: async () => args.preload && (await preloadModels(engine, requires)),
    }
  } catch (error) {
    await engine.dispose()
    throw error
  }
}

/** Opens those models, or that of decisions where none is named, so that no client waits for it. */
async function preloadModels(engine: Engine, names: readonly string[]): Promise<void> {
  for (const name of names.length === 0 ? [DEFAULT_MODELS.decide] : names) await engine.load(name, { keepOpen: true })
}
