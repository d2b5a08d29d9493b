import type { Backend, GraphModel } from './backend.ts'

/** WebAssembly sees no file system, so the weight files that a model names are handed over with it. */
export function handOverWeights(
  backend: Backend, read: (folder: string, file: string) => Promise<Uint8Array>,
): Backend {
  async function withFiles(model: GraphModel): Promise<GraphModel> {
    const { bytes, folder, weightFiles = [] } = model
    if (folder === undefined || model.files !== undefined) return model
    const files = weightFiles.map(async (path) => ({ path, data: await read(folder, path) }))
    return { bytes, files: await Promise.all(files) }
  }
  const { createDeviceSession } = backend
  return {
    name: backend.name,
    attention: backend.attention,
    precision: backend.precision,
    movesHalf: backend.movesHalf,
    ...(backend.selfTest && { selfTest: backend.selfTest }),
    createSession: async (model) => backend.createSession(await withFiles(model)),
    ...(createDeviceSession && { createDeviceSession: async (model: GraphModel) => createDeviceSession(await withFiles(model)) }),
    dispose: () => backend.dispose(),
  }
}
