import type { Backend } from './backend.ts'

type Sessions = Pick<Backend, 'createSession' | 'createDeviceSession' | 'dispose'>

/** The same backend with other ways to open sessions, and to be disposed where one is given. */
export function withSessions(backend: Backend, sessions: Omit<Sessions, 'dispose'> & Partial<Sessions>): Backend {
  // Its own way to keep results on the device would not go through the others.
  const { createDeviceSession: _, ...shown } = backend
  return { ...shown, ...sessions }
}
