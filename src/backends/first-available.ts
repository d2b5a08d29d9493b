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
 * @throws BackendUnavailableError naming all of them, with what helps each and the cause of the last
 */
export async function createFirstAvailable<Name extends BackendName>(
  names: readonly Name[],
  create: (name: Name) => Promise<Backend>,
): Promise<{ readonly backend: Backend; readonly reason: string; readonly tried: readonly Attempt[] }> {
  const tried: Attempt[] = []
  let cause: unknown
  for (const name of names) {
    try {
      const backend = await create(name)
      return { backend, reason: explainChoice(name, tried), tried }
    } catch (error) {
      if (!BackendUnavailableError.isInstance(error)) throw error
      tried.push({ name, reason: error.reason, remedy: error.remedy })
      cause = error.cause
    }
  }
  throw new BackendUnavailableError('auto', describe(tried), joinRemedies(tried), { cause })
}

function explainChoice(name: BackendName, tried: readonly Attempt[]): string {
  if (tried.length === 0) return `${name} works and comes first`
  return `${name} is the first that works here; before it: ${describe(tried)}`
}

/** What helps one backend may do nothing for another. */
function joinRemedies(tried: readonly Attempt[]): string {
  const remedies = [...new Set(tried.map(({ remedy }) => remedy))]
  if (remedies.length === 1) return remedies[0]!
  const helped = (remedy: string) => tried.filter((attempt) => attempt.remedy === remedy).map(({ name }) => name)
  return remedies.map((remedy) => `For ${helped(remedy).join(' and ')}: ${remedy}`).join('. ')
}

function describe(tried: readonly Attempt[]): string {
  return tried.map(({ name, reason }) => `${name}: ${reason}`).join('; ')
}
