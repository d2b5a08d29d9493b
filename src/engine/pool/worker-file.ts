import { locateOwn } from '../../models/find/locate-own.ts'

/** @throws InternalError where the file is missing */
export function locateWorker(url?: URL): URL {
  return locateOwn(
    'worker.js',
    // The built package has the worker beside this code. From source it is the bundle that the test set-up makes.
    () => url ?? new URL(import.meta.url.endsWith('.ts') ? '../../../out/worker.js' : './worker.js', import.meta.url),
  )
}
