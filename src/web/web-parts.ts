import type { CreateBackend, CreateTaskSource } from '../engine/worker/job-runner.ts'
import { createWebBackend } from './web-backend.ts'
import { createWebTaskSource } from './web-task-source.ts'
import { WeightStore } from './weight-store.ts'

/**
 * The parts that a browser's engine computes with. Source and backend share the weights of the model that is being opened.
 *
 * @param onLost told when the backend can't compute any more
 */
export function createWebParts(onLost: (error: Error) => void): {
  createSource: CreateTaskSource
  createBackend: CreateBackend
} {
  const weights = new WeightStore()
  return {
    createSource: (settings) => createWebTaskSource(settings, weights),
    createBackend: (settings) => createWebBackend(settings, { weights, onLost }),
  }
}
