import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { Backend, DeviceSession, Session } from './backend.ts'
import { withSessions } from './with-sessions.ts'

/** Does some work while nothing else computes. */
export type Alone = <T>(work: () => Promise<T>) => Promise<T>

/**
 * Opens something that is made of several sessions. Where that fails half-way, the sessions that were opened are disposed:
 * nobody else knows of them, and the next call tries again. Sessions opened later, such as those of pictures in bands, are
 * closed by who opens them, in turns of their own.
 *
 * @param alone for every session: WebGPU in browsers cannot make one while another computes or is made
 * @param open what to open, with the backend it is given
 */
export async function openWhole<T>(backend: Backend, alone: Alone, open: (backend: Backend) => Promise<T>): Promise<T> {
  const opened: (Session | DeviceSession)[] = []
  const { createDeviceSession } = backend
  let isWhole = false
  async function make<Made extends Session | DeviceSession>(create: () => Promise<Made>): Promise<Made> {
    if (isWhole) return create()
    const session = await alone(create)
    opened.push(session)
    return session
  }
  try {
    const whole = await open(
      withSessions(backend, {
        createSession: (model) => make(() => backend.createSession(model)),
        ...(createDeviceSession && {
          createDeviceSession: (model: BuiltGraph) => make(() => createDeviceSession(model)),
        }),
      }),
    )
    isWhole = true
    return whole
  } catch (error) {
    await Promise.allSettled(opened.map((session) => session.dispose()))
    throw error
  }
}
