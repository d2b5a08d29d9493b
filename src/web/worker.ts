import type { ToWorker } from '../engine/pool/protocol.ts'
import type { AWAKE } from './worker-connection.ts'

/**
 * All else is in a part of its own: Rollup and Rolldown put what parts share into the file that loads them, and WebKit
 * runs the file of a worker a second time where a part imports it. Two would answer then, of which one was never started.
 */
const runner = import('./serve-page.ts').then(({ servePage }) => servePage())
// Listened for at once, as a message that nobody hears is lost.
addEventListener(
  'message',
  ({ data }: MessageEvent<ToWorker | typeof AWAKE>) => void runner.then((ready) => ready.handle(data)),
)
runner.catch((error: unknown) => {
  // Uncaught outside of a promise it reaches the page.
  setTimeout(() => {
    throw new Error(
      `a file of the bundle could not be loaded; serve all of them, also after a new one took its place (${String(error)})`,
    )
  })
})
