/**
 * Engines of several machines behind one queue in Redis.
 *
 * @module tessera-onnx/queue
 */
export type { ConnectionOptions, QueueEngineOptions, WorkerOptions } from './queue-options.ts'
export { createQueueEngine, type QueueEngine } from './front/queue-engine.ts'
export type { QueueName } from './queue-names.ts'
export { type RunningWorker, runWorker } from './worker/run-worker.ts'
export type { WorkerFault } from './worker/worker-fault.ts'
export type { WorkingEngine } from './worker/working-engine.ts'
export { openJobStore } from './jobs/redis-job-store.ts'
