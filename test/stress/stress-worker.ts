import { serveWorker } from '../../src/engine/worker/serve-worker.ts'
import { createUnsteadySource } from './unsteady-source.ts'

serveWorker(createUnsteadySource)
