import type { EngineActivity } from '../../engine/index.ts'
import type { QueueActivity } from '../../engine/pool/activity.ts'
import { type Metric, Reading } from './exposition.ts'

/** What queues hold that an engine shares with others; without values where it shares none. */
export function createQueueMetrics(activity: () => EngineActivity): Metric[] {
  const ofQueues = (read: (queue: QueueActivity) => number) => () =>
    (activity().queues ?? []).map((queue) => ({
      labels: { queue: queue.name, model: queue.model },
      value: read(queue),
    }))
  return [
    new Reading(
      'tessera_fleet_waiting',
      'Calls that wait in a shared queue.',
      'gauge',
      ofQueues(({ waiting }) => waiting),
    ),
    new Reading(
      'tessera_fleet_waited_seconds',
      'How long the next call of a shared queue has waited.',
      'gauge',
      ofQueues(({ waitedMs }) => waitedMs / 1000),
    ),
    new Reading(
      'tessera_fleet_workers',
      'Workers that take from a shared queue.',
      'gauge',
      ofQueues(({ workers }) => workers),
    ),
  ]
}
