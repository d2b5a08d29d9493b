import { serveWorker } from './serve-worker.ts'
import { createTaskSource } from './task-source.ts'

serveWorker(createTaskSource)
