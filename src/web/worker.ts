import { JobRunner } from '../engine/job-runner.ts'
import type { ToWorker } from '../engine/protocol.ts'
import { createWebParts } from './web-parts.ts'
import { AWAKE } from './worker-connection.ts'

const { createSource, createBackend } = createWebParts((error) => {
  // Uncaught outside of a promise it reaches the page, which ends this worker; the next call starts another one.
  setTimeout(() => {
    throw error
  })
})
const runner = new JobRunner(createSource, createBackend, (message) => postMessage(message))
addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void runner.handle(data))
postMessage(AWAKE)
