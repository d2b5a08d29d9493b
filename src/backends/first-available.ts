import { BackendUnavailableError } from '../errors/index.ts'
import type { Backend, BackendName } from './backend.ts'

export interface Attempt {
  readonly name: BackendName
  /** Why it did not serve. */
  readonly reason: string
  /** What would help. */
  readonly remedy: string
}

/**
 * Creates the first of these backends that works.
 *
 * @param remedy for when none does
 * @throws BackendUnavailableError naming all of them
 */
export async function createFirstAvailable<Name extends BackendName>(
  names: readonly Name[],
  create: (name: Name) => Promise<Backend>,
  remedy: string,
): Promise<{ readonly backend: Backend; readonly reason: string; readonly tried: readonly Attempt[] }> {
  const tried: Attempt[] = []
  for (const name of names) {
    try {
      const backend = await create(name)
      return { backend, reason: explainChoice(name, tried), tried }
    } catch (error) {
      if (!BackendUnavailableError.isInstance(error)) throw error
      tried.push({ name, reason: error.reason, remedy: error.remedy })
    }
  }
  throw new BackendUnavailableError('auto', describe(tried), remedy)
}

function explainChoice(name: BackendName, tried: readonly Attempt[]): string {
  if (tried.length === 0) return `${name} works and comes first`
  return `${name} is the first that works here; before it: ${describe(tried)}`
}

function describe(tried: readonly Attempt[]): string {
  return tried.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
}
