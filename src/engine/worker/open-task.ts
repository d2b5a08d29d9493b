import type { Backend } from '../../backends/backend.ts'
import type { DeciderOptions, SymbolOptions } from '../../decide/decision-family.ts'
import { identifyDecider } from '../../decide/identify-decider.ts'
import { readImageManifest } from '../../images/image-manifest.ts'
import type { PictureCodec } from '../../images/picture/picture-codec.ts'
import type { ModelFiles } from '../../models/files/model-files.ts'
import { isImageBundle } from '../../models/is-image-bundle.ts'
import type { ModelDescription, Task } from './task.ts'

/** What a model's files say, wherever they lie, without opening it. @throws ModelFormatError */
export async function describeTask(
  files: ModelFiles,
  weigh: (kind: ModelDescription['kind']) => Promise<number>,
  symbols: SymbolOptions = {},
): Promise<ModelDescription> {
  const kind = (await isImageBundle(files)) ? 'images' : 'decisions'
  const bytes = await weigh(kind)
  if (kind === 'decisions') return { kind, bytes, identity: await identifyDecider(files, symbols) }
  const { native_sizes: sizes } = await readImageManifest(files)
  return { kind, bytes, ...(sizes && { nativeSizes: sizes.map((sides) => sides.join('x')) }) }
}

/**
 * Opens a model, wherever its files lie. The code of its kind is loaded here, which is not the thread that calls the
 * engine.
 *
 * @throws ModelFormatError, and what reading the files throws
 */
export async function openTask(
  files: ModelFiles,
  backend: Backend,
  loadCodec: () => Promise<PictureCodec>,
  options: DeciderOptions = {},
): Promise<Task> {
  if (await isImageBundle(files)) {
    const [{ openImageTask }, codec] = await Promise.all([import('../../images/image-task.ts'), loadCodec()])
    return openImageTask({ backend, files, codec })
  }
  const { openDecider } = await import('../../decide/open-decider.ts')
  return openDecider({ backend, files, ...options })
}
