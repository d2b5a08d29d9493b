import { existsSync } from 'node:fs'
import { basename } from 'node:path'
import { InternalError } from '../errors/index.ts'

// The built package has the worker beside this code. From source it is the bundle that the test set-up makes.
const BESIDE = import.meta.url.endsWith('.ts') ? '../../out/worker.js' : './worker.js'

/** @throws InternalError where the file is missing: trying again cannot help */
export function locateWorker(url = new URL(BESIDE, import.meta.url)): URL {
  if (existsSync(url)) return url
  throw new InternalError(
    `the worker's file ${basename(url.pathname)} is not beside the library's code, as when a bundler took that in: leave tessera-onnx out of the bundle (external)`,
  )
}
