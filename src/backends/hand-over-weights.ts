import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { Backend } from './backend.ts'
import { withSessions } from './with-sessions.ts'

/** WebAssembly sees no file system, so the weight files that a model names are handed over with it. */
export function handOverWeights(
  backend: Backend,
  read: (folder: string, file: string) => Promise<Uint8Array>,
): Backend {
  async function withFiles(model: BuiltGraph): Promise<BuiltGraph> {
    const { bytes, folder, weightFiles = [] } = model
    if (folder === undefined || model.files !== undefined) return model
    const files = weightFiles.map(async (path) => ({ path, data: await read(folder, path) }))
    return { bytes, files: await Promise.all(files) }
  }
  const { createDeviceSession } = backend
  return withSessions(backend, {
    createSession: async (model) => backend.createSession(await withFiles(model)),
    ...(createDeviceSession && {
      createDeviceSession: async (model: BuiltGraph) => createDeviceSession(await withFiles(model)),
    }),
  })
}
