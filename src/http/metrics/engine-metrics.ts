import type { Engine, ModelActivity } from '../../engine/index.ts'
import { modelName } from '../model-name.ts'
import { Gauge, type Metric, Reading } from './exposition.ts'
import { createQueueMetrics } from './queue-metrics.ts'

/** What the engine behind a server says of itself; nothing where it is one that does not say it. */
export function createEngineMetrics(engine: Partial<Pick<Engine, 'activity'>>): Metric[] {
  if (engine.activity === undefined) return []
  const activity = () => engine.activity!()
  const ofModels = (read: (model: ModelActivity) => number) => () =>
    activity().models.map((model) => ({ labels: { model: modelName(model.id) }, value: read(model) }))
  return [
    new Gauge('tessera_queue_depth', 'Calls that wait for a place in a worker.', () => activity().waiting),
    new Gauge('tessera_calls_running', 'Calls that workers have.', () => activity().running),
    new Reading(
      'tessera_models_loaded',
      'Workers in which a model is open.',
      'gauge',
      ofModels(({ open }) => open),
    ),
    new Reading(
      'tessera_model_loads_total',
      'How often a model was opened.',
      'counter',
      ofModels(({ opened }) => opened),
    ),
    new Reading(
      'tessera_model_load_seconds_total',
      'Time that opening a model took.',
      'counter',
      ofModels(({ openedMs }) => openedMs / 1000),
    ),
    new Reading(
      'tessera_model_load_failures_total',
      'How often a model could not be opened.',
      'counter',
      ofModels(({ failed }) => failed),
    ),
    ...createQueueMetrics(activity),
  ]
}
