import type { ModelInfo } from '../../engine/index.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { isModelName } from '../../models/find/is-model-name.ts'
import { type ModelQueue, type QueueName, queueOf, QUEUES } from '../queue-names.ts'

/**
 * The queues that a worker takes calls from: one for each kind of work and each name, hub id and embedded model that it
 * serves. Paths are nothing that a request may give.
 *
 * @param jobs kinds of work; else those that the models do
 * @param wanted names of models to serve; else all that are available
 * @throws InvalidRequestError for a name that is not available, for a kind of work that no model does, and where no model is available
 */
export function servedQueues(
  models: readonly ModelInfo[],
  jobs?: readonly QueueName[],
  wanted?: readonly string[],
): ModelQueue[] {
  const available = models.filter((model) => model.available)
  const missing = wanted?.find((name) => !available.some((model) => model.name === name))
  if (missing !== undefined) {
    const names = available.map(({ name }) => name).join(', ')
    throw new InvalidRequestError('models', `must be names of models that the engine has (${names}), got '${missing}'`)
  }
  const served = available.filter(({ name }) => wanted?.includes(name) ?? true)
  if (served.length === 0) throw new InvalidRequestError('models', 'the engine must have one at least, got none')
  const namesFor = (work: QueueName) => new Set(served.filter((model) => doesWork(model, work)).flatMap(namesOf))
  const idle = jobs?.find((work) => namesFor(work).size === 0)
  if (idle !== undefined) {
    throw new InvalidRequestError('jobs', `no model that is served does '${idle}'; leave it out, or serve one`)
  }
  return (jobs ?? QUEUES).flatMap((work) => Array.from(namesFor(work), (name) => queueOf(work, name)))
}

/** Models whose engine says nothing of their kind are asked for both. */
function doesWork({ kind }: ModelInfo, work: QueueName): boolean {
  return kind === undefined || (kind === 'decisions') === (work === 'decide')
}

function namesOf({ name, id }: ModelInfo): readonly string[] {
  return id !== undefined && isModelName(id) ? [name, id] : [name]
}
