import type { Backend, Session } from './backend.ts'
import { withSessions } from './with-sessions.ts'

/**
 * The same backend for work that computes nothing, such as counting tokens: a model is opened with it without reading its
 * weights, in milliseconds and in the memory of its tokenizer.
 */
export function withoutSessions(backend: Backend): Backend {
  // Weights that nobody multiplies with need not be read to be rounded.
  return withSessions(
    { ...backend, fastInt8: false },
    { createSession: () => Promise.resolve(UNOPENED), dispose: () => Promise.resolve() },
  )
}

/** Stands for a session that nobody opens. */
export const UNOPENED: Session = {
  inputNames: [],
  outputNames: [],
  run: () => Promise.reject(new Error('a model that was opened without its weights was asked to compute')),
  free: () => {},
  dispose: () => Promise.resolve(),
}
