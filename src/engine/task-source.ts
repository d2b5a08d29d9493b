import { access } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { ModelNotFoundError } from '../errors/index.ts'
import type { EngineSettings } from './resolve-options.ts'
import type { TaskSource } from './task.ts'

/**
 * The models of this library. Requests choose among the names that the options give a folder for; a name is never taken
 * as a path itself, since it may come from the network.
 */
export function createTaskSource({ models }: EngineSettings): TaskSource {
  return {
    names: [...new Set(['decide-latest', ...Object.keys(models)])],
    async resolve(model) {
      const target = Object.hasOwn(models, model) ? models[model] : undefined
      if (target === undefined) throw new ModelNotFoundError(model, ['the option `models`'], `tessera pull ${model}`)
      const folder = resolve(target)
      const config = join(folder, 'config.json')
      await access(config).catch((cause: unknown) => {
        throw new ModelNotFoundError(model, [config], `tessera pull ${model}`, { cause })
      })
      return { id: basename(folder), folder }
    },
    async open({ folder }, backend) {
      // Loaded where models run only, which is not the thread that calls the engine.
      const { openDecider } = await import('../decide/index.ts')
      return openDecider({ backend, folder })
    },
  }
}
