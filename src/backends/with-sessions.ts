import type { Backend } from './backend.ts'

type Sessions = Pick<Backend, 'createSession' | 'createDeviceSession' | 'dispose'>

/** The same backend with other ways to open sessions, and to be disposed where one is given. */
export function withSessions(backend: Backend, sessions: Omit<Sessions, 'dispose'> & Partial<Sessions>): Backend {
  const { name, attention, precision, movesHalf, fastInt8, selfTest } = backend
  return {
    name,
    attention,
    precision,
    movesHalf,
    ...(fastInt8 && { fastInt8 }),
    ...(selfTest && { selfTest }),
    dispose: () => backend.dispose(),
    ...sessions,
  }
}
