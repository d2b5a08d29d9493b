import { DEFAULT_MODELS } from '../engine/default-models.ts'
import type { Engine } from '../engine/index.ts'

const QUESTION = { ready: { type: 'noul', instructions: 'Is it ready?' } } as const

/**
 * Has each model that is there answer once, so that no client waits for it to be opened.
 *
 * @param names Of requests; `decide-latest` where none is given.
 */
export async function preloadModels(engine: Engine, names: readonly string[]): Promise<void> {
  const wanted = names.length === 0 ? [DEFAULT_MODELS.decide] : names
  for (const { name, kind } of await engine.models()) {
    if (!wanted.includes(name)) continue
    if (kind === 'images') await engine.generateImage({ prompt: 'a', size: '64x64', model: name }, { steps: 1 })
    else await engine.decide({ state: 'a', questions: QUESTION, model: name })
  }
}
