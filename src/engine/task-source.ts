import { identifyDecider } from '../decide/identify-decider.ts'
import { readImageManifest } from '../images/image-manifest.ts'
import {
  EMBEDDED_MODELS,
  isImageBundle,
  type ModelSource,
  openFolder,
  resolveModel,
  weighModel,
} from '../models/index.ts'
import type { EngineSettings } from './resolve-options.ts'
import type { TaskSource } from './task.ts'

/** A hub id, and nothing that leads through folders. */
const HUB_ID = /^\w[\w.-]*\/\w[\w.-]*$/

/**
 * The models of this library. A request may name what the options list, an embedded model, or a downloaded one by its hub id;
 * only the options may give a path, since the name in a request may come from the network. Any other name is one of a
 * compatible service (`jev-latest`): the specification accepts it (section 2.4), the default model of the job does it,
 * and the answer to a decision says which that was.
 */
export function createTaskSource({ models }: EngineSettings): TaskSource {
  const targets = new Map([...Object.entries(EMBEDDED_MODELS), ...Object.entries(models)])
  const embedded = new Set(Object.values(EMBEDDED_MODELS))
  // They come with the package and stay where they are; looking for one costs half a millisecond, a tenth of a short decision.
  const found = new Map<string, ModelSource>()
  return {
    names: [...targets.keys()],
    async resolve(model, fallback) {
      const named = embedded.has(model) || HUB_ID.test(model) ? model : targets.get(fallback)
      const target = targets.get(model) ?? named ?? fallback
      const source = found.get(target) ?? (await resolveModel(target))
      if (source.embedded) found.set(target, source)
      return source
    },
    async describe({ id, folder }) {
      const files = openFolder(folder, HUB_ID.test(id) ? id : undefined)
      const bytes = await weighModel(folder)
      if (!(await isImageBundle(files))) {
        return { kind: 'decisions', bytes, identity: await identifyDecider(files) }
      }
      const { native_sizes: sizes } = await readImageManifest(files)
      return { kind: 'images', bytes, ...(sizes && { nativeSizes: sizes.map((sides) => sides.join('x')) }) }
    },
    // What opens models is loaded where they run only, which is not the thread that calls the engine.
    async open({ id, folder }, backend) {
      // The folder of a downloaded one is named after a commit.
      const files = openFolder(folder, HUB_ID.test(id) ? id : undefined)
      if (await isImageBundle(files)) {
        const [{ openImageTask }, { sharpCodec }] = await Promise.all([
          import('../images/index.ts'),
          import('../images/picture/sharp-codec.ts'),
        ])
        return openImageTask({ backend, files, codec: sharpCodec })
      }
      const { openDecider } = await import('../decide/index.ts')
      return openDecider({ backend, files })
    },
  }
}
