import type { Connection, ConnectionHandlers } from '../engine/pool/connection.ts'
import { connectInline } from '../engine/pool/inline-connection.ts'
import { createWebParts } from './web-parts.ts'

/** Runs jobs in the page's own thread. */
export function connectPage(handlers: ConnectionHandlers): Connection {
  let open = true
  const { createSource, createBackend } = createWebParts((loss) => {
    if (!open) return
    open = false
    // What runs on a lost device may never end, so that nobody waits for it.
    connection.close().catch(() => {})
    handlers.onCrash(loss.message, loss)
  })
  const connection = connectInline(createSource, createBackend)(handlers)
  return {
    ...connection,
    close() {
      open = false
      return connection.close()
    },
  }
}
