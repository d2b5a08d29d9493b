import type { Broken, ToWorker } from '../engine/pool/protocol.ts'
import { JobRunner } from '../engine/worker/job-runner.ts'
import { createWebParts } from './web-parts.ts'
import { AWAKE } from './worker-connection.ts'

const BROKEN: Broken = {
  type: 'broken',
  reason: 'a part of its code could not be loaded, as where its server is away or has the files of another version',
}

/** What answers the messages of the page in its worker. */
export function servePage() {
  const { createSource, createBackend } = createWebParts((error) => {
    // Uncaught outside of a promise it reaches the page, which ends this worker; the next call starts another one.
    setTimeout(() => {
      throw error
    })
  })
  const runner = new JobRunner(
    createSource,
    createBackend,
    (message) => postMessage(message),
    () => postMessage(BROKEN),
  )
  const sayAwake = () => postMessage(AWAKE)
  sayAwake()
  return {
    handle: (message: ToWorker | typeof AWAKE) => (message === AWAKE ? sayAwake() : runner.handle(message)),
  }
}
