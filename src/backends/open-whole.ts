import { AbortedError } from '../errors/index.ts'
import type { Backend, DeviceSession, GraphModel, Session } from './backend.ts'
import { withSessions } from './with-sessions.ts'

/**
 * Opens something that is made of several sessions. Where that fails half-way, the sessions that were opened are disposed:
 * nobody else knows of them, and the next call tries again.
 *
 * @param signal stops before the next session
 * @param open what to open, with the backend it is given
 * @throws AbortedError
 */
export async function openWhole<T>(backend: Backend, signal: AbortSignal, open: (backend: Backend) => Promise<T>): Promise<T> {
  const opened: (Session | DeviceSession)[] = []
  const { createDeviceSession } = backend
  function kept<Opened extends Session | DeviceSession>(session: Opened): Opened {
    opened.push(session)
    return session
  }
  let whole = false
  function check(): void {
    if (!whole && signal.aborted) throw new AbortedError()
  }
  try {
    const made = await open(withSessions(backend, {
      async createSession(model) {
        check()
        return kept(await backend.createSession(model))
      },
      ...(createDeviceSession && {
        async createDeviceSession(model: GraphModel) {
          check()
          return kept(await createDeviceSession(model))
        },
      }),
    }))
    whole = true
    return made
  } catch (error) {
    await Promise.allSettled(opened.map((session) => session.dispose()))
    throw error
  } finally {
    // Sessions opened from here on, such as those of pictures in bands, are closed by who opens them.
    opened.length = 0
  }
}
