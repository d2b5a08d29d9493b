import { serveWorker } from '../serve-worker.ts'
import { createFakeSource } from './fake-task.ts'

serveWorker(createFakeSource)
