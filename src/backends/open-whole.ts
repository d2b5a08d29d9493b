import type { Backend, DeviceSession, GraphModel, Session } from './backend.ts'

/**
 * Opens something that is made of several sessions. Where that fails half-way, the sessions that were opened are disposed:
 * nobody else knows of them, and the next call tries again.
 *
 * @param open what to open, with the backend it is given
 */
export async function openWhole<T>(backend: Backend, open: (backend: Backend) => Promise<T>): Promise<T> {
  const opened: (Session | DeviceSession)[] = []
  const { createDeviceSession } = backend
  function kept<Opened extends Session | DeviceSession>(session: Opened): Opened {
    opened.push(session)
    return session
  }
  try {
    return await open({
      name: backend.name,
      attention: backend.attention,
      precision: backend.precision,
      movesHalf: backend.movesHalf,
      ...(backend.selfTest && { selfTest: backend.selfTest }),
      createSession: async (model) => kept(await backend.createSession(model)),
      ...(createDeviceSession && { createDeviceSession: async (model: GraphModel) => kept(await createDeviceSession(model)) }),
      dispose: () => backend.dispose(),
    })
  } catch (error) {
    await Promise.allSettled(opened.map((session) => session.dispose()))
    throw error
  } finally {
    // Sessions opened from here on, such as those of pictures in bands, are closed by who opens them.
    opened.length = 0
  }
}
