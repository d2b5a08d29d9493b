import { refusalWord } from '../../redis/refusal-word.ts'

/**
 * Whether a store has written nothing for certain, by what its update failed with: SQLite rolls back whatever it fails
 * with, and a Redis server says that it refuses. After anything else, as a deadline or a broken connection, it may have.
 */
export function hasWrittenNothing(failure: unknown): boolean {
  return failure instanceof Error && ('errcode' in failure || refusalWord(failure) !== undefined)
}
