import type { Backend, DeviceSession, GraphModel, Session } from './backend.ts'
import { withSessions } from './with-sessions.ts'

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
    return await open(withSessions(backend, {
      createSession: async (model) => kept(await backend.createSession(model)),
      ...(createDeviceSession && { createDeviceSession: async (model: GraphModel) => kept(await createDeviceSession(model)) }),
    }))
  } catch (error) {
    await Promise.allSettled(opened.map((session) => session.dispose()))
    throw error
  } finally {
    // Sessions opened from here on, such as those of pictures in bands, are closed by who opens them.
    opened.length = 0
  }
}
