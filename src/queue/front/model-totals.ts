import { type ModelActivity, sumModels } from '../../engine/pool/activity.ts'
import type { WorkerReport } from '../worker-reports.ts'

/** Workers whose own counts are remembered, since one that was cut off may come back. Those of older ones are added up. */
const MOST_REMEMBERED = 1000

/**
 * What the workers of a fleet did with their models, those that are gone included: a counter that goes down when a worker ends
 * would be taken for one that began anew.
 */
export class ModelTotals {
  readonly #workers = new Map<string, readonly ModelActivity[]>()
  #older: readonly ModelActivity[] = []

  /** Takes what the workers say that are there now. */
  note(reports: readonly Pick<WorkerReport, 'id' | 'activity'>[]): void {
    for (const [id, models] of this.#workers) this.#workers.set(id, closed(models))
    for (const { id, activity } of reports) {
      // Behind all that are gone.
      this.#workers.delete(id)
      this.#workers.set(id, activity.models)
    }
    const surplus = this.#workers.size - Math.max(MOST_REMEMBERED, reports.length)
    for (const [id, models] of [...this.#workers].slice(0, Math.max(0, surplus))) {
      this.#workers.delete(id)
      this.#older = sumModels([...this.#older, ...models])
    }
  }

  /** @param isKnown whether the workers are heard of; else none counts as there */
  list(isKnown = true): ModelActivity[] {
    const models = sumModels([...this.#older, ...[...this.#workers.values()].flat()])
    return isKnown ? models : closed(models)
  }
}

function closed(models: readonly ModelActivity[]): ModelActivity[] {
  return models.map((model) => ({ ...model, open: 0 }))
}
