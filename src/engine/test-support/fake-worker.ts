import { serveWorker } from '../worker/serve-worker.ts'
import { createFakeSource } from './fake-task.ts'

serveWorker(createFakeSource)
