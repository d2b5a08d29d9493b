/**
 * Engines of several machines behind one queue in Redis.
 *
 * @module tessera-onnx/queue
 */
export type { ConnectionOptions, QueueEngineOptions, WorkerOptions } from './queue-options.ts'
export { createQueueEngine, type QueueEngine } from './queue-engine.ts'
export type { QueueName } from './queue-names.ts'
export { type RunningWorker, runWorker } from './run-worker.ts'
export type { WorkerFault } from './worker-fault.ts'
export type { WorkingEngine } from './working-engine.ts'
export { openJobStore } from './redis-job-store.ts'
