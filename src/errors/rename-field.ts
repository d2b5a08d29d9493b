import { InvalidRequestError } from './request-errors.ts'

/** Names that a caller knows fields by, by what they are called where they are read. */
export type FieldNames = Readonly<Record<string, string>>

/**
 * What was thrown, with its field called as the caller wrote it. Work that is shared by callers names fields as options in
 * the process do; each of the others says in one table which of its own are called otherwise.
 */
export function renameField(thrown: unknown, names: FieldNames): unknown {
  if (!InvalidRequestError.isInstance(thrown)) return thrown
  const [first = '', ...rest] = thrown.loc
  if (!Object.hasOwn(names, first)) return thrown
  const loc = [names[first]!, ...rest]
  return new InvalidRequestError(loc.join('.'), thrown.reason, { loc, cause: thrown })
}
