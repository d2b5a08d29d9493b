import type { Backend, BuiltGraph } from '../backends/index.ts'
import { withSessions } from '../backends/with-sessions.ts'
import type { ModelFiles } from '../models/index.ts'
import type { MadeWeights } from '../models/model-files.ts'

/**
 * The same backend for a model whose weights may lie in no file that a session opens.
 *
 * @param unpack writes them and gives the folder, once the first session is opened
 */
export function withUnpacked(
  backend: Backend,
  files: ModelFiles,
  unpack: (weights: MadeWeights) => Promise<string>,
): Backend {
  if (files.made === undefined) return backend
  let unpacking: Promise<string> | undefined
  async function moved(model: BuiltGraph): Promise<BuiltGraph> {
    const made = await files.made?.()
    if (made === undefined || model.folder !== made.folder) return model
    return { ...model, folder: await (unpacking ??= unpack(made)) }
  }
  const { createDeviceSession } = backend
  return withSessions(backend, {
    createSession: async (model) => backend.createSession(await moved(model)),
    ...(createDeviceSession && { createDeviceSession: async (model) => createDeviceSession(await moved(model)) }),
  })
}
