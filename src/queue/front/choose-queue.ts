import { DEFAULT_MODELS } from '../../engine/options/default-models.ts'
import { InvalidRequestError, ModelNotFoundError } from '../../errors/index.ts'
import { isHubName, isModelName } from '../../models/find/is-model-name.ts'
import { expandName } from '../../models/find/known-models.ts'
import { type ModelQueue, partsOf, QUEUES, queueOf } from '../queue-names.ts'
import { CALLS, type QueuedKind } from '../queued-call.ts'
import type { Fleet } from '../worker-reports.ts'

/**
 * The queue that workers take the calls for a model from. A name that is none of this package's, none of the hub's, and that no
 * worker has served of late, is one of a compatible service, which the default model answers, as in an engine. With no
 * worker for the kind of work a call waits for the first one; in the queue of the default model it is answered, or
 * refused, by what that worker has.
 *
 * @param model name that the request gives
 * @returns undefined where workers are there and none of them serves it
 * @throws InvalidRequestError for a model that does another kind of work
 */
export function chooseQueue(kind: QueuedKind, model: string, { reports, known }: Fleet): ModelQueue | undefined {
  const work = CALLS[kind]
  // Workers serve what a short name stands for.
  const names = [...new Set([model, expandName(model)])]
  const queues = names.map((name) => queueOf(work, name))
  const isServed = (queue: ModelQueue) => reports.some((report) => report.queues.includes(queue))
  const isKnown = (queue: ModelQueue) => known.includes(queue)
  const served = queues.find(isServed)
  if (served !== undefined) return served
  const fallback = queueOf(work, DEFAULT_MODELS[kind])
  if (!reports.some(({ jobs }) => jobs.includes(work))) return queues.find(isKnown) ?? fallback
  if (QUEUES.some((other) => names.some((name) => isServed(queueOf(other, name))))) {
    throw new InvalidRequestError('model', `'${model}' is not a model for ${kind}`)
  }
  const isNamed = queues.some(isKnown) || isModelName(model)
  return !isNamed && isServed(fallback) ? fallback : undefined
}

/** Says which models the workers serve, and how one comes to serve this. */
export function notServed(kind: QueuedKind, model: string, { reports }: Fleet): ModelNotFoundError {
  const served = new Set(reports.flatMap(({ queues }) => queues).map(partsOf))
  const names = Array.from(served, (queue) => (queue.work === CALLS[kind] ? queue.model : '')).filter(Boolean)
  const given = isHubName(model) ? `${DEFAULT_MODELS[kind]}=${model}` : `${model}=<owner>/<name>`
  return new ModelNotFoundError(
    model,
    [`the workers of the queue, which serve ${[...new Set(names)].toSorted().join(', ')}`],
    `npx tessera-onnx worker --queue <url> --use ${given}`,
  )
}
