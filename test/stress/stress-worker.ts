import { serveWorker } from '../../src/engine/serve-worker.ts'
import { createUnsteadySource } from './unsteady-source.ts'

serveWorker(createUnsteadySource)
