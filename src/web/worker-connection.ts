import type { Connect } from '../engine/connection.ts'
import type { FromWorker } from '../engine/protocol.ts'

/** Runs jobs in a worker of the page. */
export function connectWebWorker(create: () => Worker): Connect {
  return ({ onMessage, onCrash }) => {
    const worker = create()
    let open = true
    worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => {
      if (open) onMessage(data)
    })
    worker.addEventListener('error', (event) => {
      if (!open) return
      open = false
      worker.terminate()
      // A script that cannot be loaded gives an event without a message. What was thrown stays in the worker.
      const cause = event.message ? new Error(event.message) : undefined
      onCrash(cause ? 'it threw an error, see `cause`' : 'its script could not be loaded or run', cause)
    })
    return {
      post: (message, moved = []) => worker.postMessage(message, [...moved]),
      setBusy: () => {},
      close: async () => {
        open = false
        worker.terminate()
      },
    }
  }
}
