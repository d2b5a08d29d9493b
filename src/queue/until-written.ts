import { setTimeout as sleep } from 'node:timers/promises'

/** A server that restarts, or whose place another one takes, is back before. */
const AWAY_MS = 60_000
const PAUSE_MS = 250

/**
 * Writes a job whose turn or end comes while the server is away when it is there again: the client does not send again what
 * breaks off with the connection, and gives up after five seconds what is asked for while there is none.
 *
 * @throws what the last try threw, after a minute or where the connection was closed for good
 */
export async function untilWritten(
  write: () => Promise<boolean>,
  client: { readonly isOpen: boolean },
): Promise<boolean> {
  for (const began = performance.now(); performance.now() - began < AWAY_MS && client.isOpen;) {
    const isWritten = await write().catch(() => undefined)
    if (isWritten !== undefined) return isWritten
    await sleep(PAUSE_MS)
  }
  return write()
}
