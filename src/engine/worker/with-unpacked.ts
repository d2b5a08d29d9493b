import { join } from 'node:path'
import type { Backend, BuiltGraph } from '../../backends/index.ts'
import { withSessions } from '../../backends/with-sessions.ts'
import { isWhole } from '../../models/files/is-whole.ts'
import type { MadeWeights } from '../../models/files/model-files.ts'
import type { ModelFiles } from '../../models/index.ts'
import { CONTROLNET, PIPELINE_PARTS } from '../../models/pipeline-parts.ts'

/**
 * The same backend for a model whose weights, or those of whose parts, may lie in no file that a session opens.
 *
 * @param unpack writes them and gives the folder, once the first session is opened, and again where the folder is gone later
 */
export function withUnpacked(
  backend: Backend,
  files: ModelFiles,
  unpack: (weights: MadeWeights) => Promise<string>,
): Backend {
  const unpacking = new Map<string, Promise<string>>()
  async function moved(model: BuiltGraph): Promise<BuiltGraph> {
    const made = model.folder === undefined ? undefined : await findMade(files, model.folder)
    if (made === undefined) return model
    const folder = place(made, unpacking.get(made.folder))
    unpacking.set(made.folder, folder)
    return { ...model, folder: await folder }
  }
  /** The cache may be emptied at any time, and a session that is opened at the same time waits for the one before. */
  async function place(made: MadeWeights, before: Promise<string> | undefined): Promise<string> {
    const folder = await before?.catch(() => undefined)
    return folder !== undefined && (await isWhole(join(folder, made.name), made)) ? folder : unpack(made)
  }
  const { createDeviceSession } = backend
  return withSessions(backend, {
    createSession: async (model) => backend.createSession(await moved(model)),
    ...(createDeviceSession && { createDeviceSession: async (model) => createDeviceSession(await moved(model)) }),
  })
}

/** The weights that are made and show this folder; none where they lie in it. */
async function findMade(files: ModelFiles, folder: string): Promise<MadeWeights | undefined> {
  const made = await files.made?.()
  if (made?.folder === folder) return made
  for (const part of [...PIPELINE_PARTS, CONTROLNET]) {
    const weights = await files.within(part.folder).made?.()
    if (weights?.folder === folder) return weights
  }
  return undefined
}
