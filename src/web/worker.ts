import { JobRunner } from '../engine/job-runner.ts'
import type { ToWorker } from '../engine/protocol.ts'
import { createWebParts } from './web-parts.ts'

const { createSource, createBackend } = createWebParts()
const runner = new JobRunner(createSource, createBackend, (message) => postMessage(message))
addEventListener('message', ({ data }: MessageEvent<ToWorker>) => void runner.handle(data))
