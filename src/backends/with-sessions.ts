import type { Backend } from './backend.ts'

type Sessions = Pick<Backend, 'createSession' | 'createDeviceSession' | 'dispose'>

/** The same backend with other ways to open sessions, and to be disposed where one is given. */
export function withSessions(backend: Backend, sessions: Omit<Sessions, 'dispose'> & Partial<Sessions>): Backend {
  const { name, attention, precision, movesHalf, selfTest } = backend
  return {
    name,
    attention,
    precision,
    movesHalf,
    ...(selfTest && { selfTest }),
    dispose: () => backend.dispose(),
    ...sessions,
  }
}
