import { bundleWorker } from '../../src/engine/test-support/bundle-worker.ts'

/** Before all tests, so that every engine and server of theirs finds its worker, whichever test comes first. */
export async function setup(): Promise<void> {
  await bundleWorker('src/engine/worker/worker.ts', 'worker')
  await bundleWorker('src/http/body/body-worker.ts', 'body-worker')
  await bundleWorker('src/models/quantize/quantize-worker.ts', 'quantize-worker')
}
