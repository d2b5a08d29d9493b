import { bundleWorker } from '../../src/engine/test-support/bundle-worker.ts'

/** Before all tests, so that every engine of theirs finds a worker, whichever test comes first. */
export async function setup(): Promise<void> {
  await bundleWorker('src/engine/worker.ts', 'worker')
}
