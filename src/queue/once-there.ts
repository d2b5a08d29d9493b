import { setTimeout as sleep } from 'node:timers/promises'

/** A server that restarts, or whose place another one takes, is back before. */
const AWAY_MS = 60_000
const PAUSE_MS = 250

/**
 * Asks the server again and again, when it is away, until it is there: the client does not send again what breaks off with the
 * connection, and gives up after five seconds what it is asked for while there is none.
 *
 * @param ask may be asked twice, where only the reply was lost
 * @throws what the last try threw, after a minute or where the connection was closed for good
 */
export async function onceThere<Result>(
  ask: () => Promise<Result>,
  client: { readonly isOpen: boolean },
): Promise<Result> {
  for (const began = performance.now(); performance.now() - began < AWAY_MS && client.isOpen;) {
    try {
      return await ask()
    } catch {
      await sleep(PAUSE_MS)
    }
  }
  return ask()
}
