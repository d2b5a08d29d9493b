/** How a Redis server refuses a command before it has done anything. */
const REFUSALS = /^(?:OOM|READONLY|MISCONF|NOREPLICAS|LOADING|MASTERDOWN|BUSY|NOPERM|NOAUTH) /

/**
 * Whether a store has written nothing for certain, by what its update failed with: SQLite rolls back whatever it fails
 * with, and a Redis server says that it refuses. After anything else, as a deadline or a broken connection, it may have.
 */
export function hasWrittenNothing(failure: unknown): boolean {
  return failure instanceof Error && ('errcode' in failure || REFUSALS.test(failure.message))
}
