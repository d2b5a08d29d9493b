import type { Backend, BuiltGraph } from '../backends/index.ts'
import { withSessions } from '../backends/with-sessions.ts'

/**
 * The same backend for a model whose weights lie in no file that a session opens.
 *
 * @param unpack makes one and gives its folder, once the first session is opened
 */
export function withUnpacked(backend: Backend, unpack: () => Promise<string>): Backend {
  let unpacking: Promise<string> | undefined
  const moved = async (model: BuiltGraph) => ({ ...model, folder: await (unpacking ??= unpack()) })
  const { createDeviceSession } = backend
  return withSessions(backend, {
    createSession: async (model) => backend.createSession(await moved(model)),
    ...(createDeviceSession && { createDeviceSession: async (model) => createDeviceSession(await moved(model)) }),
  })
}
