import type { EngineSettings } from '../engine/resolve-options.ts'
import type { ResolvedModel, TaskSource } from '../engine/task.ts'
import { ModelNotFoundError } from '../errors/index.ts'
import { identifyDecider } from '../decide/identify-decider.ts'
import { readImageManifest } from '../images/image-manifest.ts'
import { isImageBundle } from '../models/is-image-bundle.ts'
import { openUrl } from './model-url.ts'
import { weighUrl } from './weigh-url.ts'
import { WeightStore } from './weight-store.ts'

/**
 * Models below URLs. A request may give the names that the options list; all others are served by the job's default.
 */
export function createWebTaskSource({ models }: EngineSettings, weights = new WeightStore()): TaskSource {
  const readOnly = (url: string) => openUrl(url, weights)
  return {
    names: Object.keys(models),
    async resolve(model, fallback) {
      // Not what every object has, such as `constructor`.
      const name = [model, fallback].find((candidate) => Object.hasOwn(models, candidate))
      const url = name && models[name]
      if (url !== undefined) return { id: url.split('/').at(-1)!, folder: url }
      const command = `createEngine({ models: { '${fallback}': URL } })`
      throw new ModelNotFoundError(model, ['the `models` of createEngine()'], command)
    },
    async describe({ id, folder }) {
      const files = readOnly(folder)
      const kind = (await isImageBundle(files)) ? 'images' : 'decisions'
      if (kind === 'decisions' && (await files.readText('config.json')) === undefined) {
        const tried = ['model_index.json', 'config.json'].map((name) => `${folder}/${name}`)
        throw new ModelNotFoundError(id, tried, "createEngine({ models: { name: 'URL of its folder' } })")
      }
      const bytes = await weighUrl(files, kind)
      if (kind === 'decisions') return { kind, bytes, identity: await identifyDecider(files) }
      const { native_sizes: sizes } = await readImageManifest(files)
      return { kind, bytes, ...(sizes && { nativeSizes: sizes.map((sides) => sides.join('x')) }) }
    },
    async open(model: ResolvedModel, backend, { signal, onProgress }) {
      const { kind, bytes } = await this.describe(model)
      let done = 0
      const onBytes = (length: number) => {
        done += length
        // A server that compresses files names a smaller size than arrives.
        onProgress({ stage: 'downloading', done, total: Math.max(done, bytes) })
      }
      // Of its own: where opening fails, what is still being loaded is of no use either.
      const loading = new AbortController()
      const stop = () => loading.abort(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      if (signal.aborted) stop()
      const files = openUrl(model.folder, weights, { signal: loading.signal, onBytes })
      try {
        if (kind === 'images') {
          const [{ openImageTask }, { canvasCodec }] = await Promise.all([
            import('../images/image-task.ts'),
            import('./canvas-codec.ts'),
          ])
          return await openImageTask({ backend, files, codec: canvasCodec })
        }
        const { openDecider } = await import('../decide/open-decider.ts')
        return await openDecider({ backend, files })
      } finally {
        signal.removeEventListener('abort', stop)
        stop()
        weights.release(model.folder)
      }
    },
  }
}
