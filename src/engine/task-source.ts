import { EMBEDDED_MODELS, openFolder, resolveModel } from '../models/index.ts'
import type { EngineSettings } from './resolve-options.ts'
import type { TaskSource } from './task.ts'

/** A hub id, and nothing that leads through folders. */
const HUB_ID = /^\w[\w.-]*\/\w[\w.-]*$/
const DEFAULT = 'decide-latest'

/**
 * The models of this library. A request may name what the options list, an embedded model, or a downloaded one by its hub id;
 * only the options may give a path, since the name in a request may come from the network. Any other name is one of a
 * compatible service (`jev-latest`): the specification accepts it (section 2.4), the default model answers, and the
 * response says which that was.
 */
export function createTaskSource({ models }: EngineSettings): TaskSource {
  const targets = new Map([...Object.entries(EMBEDDED_MODELS), ...Object.entries(models)])
  const embedded = new Set(Object.values(EMBEDDED_MODELS))
  return {
    names: [...targets.keys()],
    async resolve(model) {
      const named = embedded.has(model) || HUB_ID.test(model) ? model : targets.get(DEFAULT)
      return resolveModel(targets.get(model) ?? named ?? DEFAULT)
    },
    async open({ folder }, backend) {
      // Loaded where models run only, which is not the thread that calls the engine.
      const { openDecider } = await import('../decide/index.ts')
      return openDecider({ backend, files: openFolder(folder) })
    },
  }
}
