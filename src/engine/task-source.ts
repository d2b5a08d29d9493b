import { ModelNotFoundError } from '../errors/index.ts'
import { EMBEDDED_MODELS, resolveModel } from '../models/resolve-model.ts'
import type { EngineSettings } from './resolve-options.ts'
import type { TaskSource } from './task.ts'

/** `name` or `owner/name`, and nothing that leads through folders. */
const MODEL_NAME = /^\w[\w.-]*(\/\w[\w.-]*)?$/

/**
 * The models of this library. A request may name what the options list, an embedded model or a downloaded one; only the
 * options may give a path, since the name in a request may come from the network.
 */
export function createTaskSource({ models }: EngineSettings): TaskSource {
  const targets = new Map([...Object.entries(EMBEDDED_MODELS), ...Object.entries(models)])
  return {
    names: [...targets.keys()],
    async resolve(model) {
      const target = targets.get(model)
      if (target !== undefined) return resolveModel(target)
      if (MODEL_NAME.test(model)) return resolveModel(model)
      throw new ModelNotFoundError(model, ['the option `models`'], 'tessera models')
    },
    async open({ folder }, backend) {
      // Loaded where models run only, which is not the thread that calls the engine.
      const { openDecider } = await import('../decide/index.ts')
      return openDecider({ backend, folder })
    },
  }
}
