import { setTimeout as wait } from 'node:timers/promises'

/**
 * Waits before a download goes on. It has a file of its own so that tests can look at the times and skip them.
 *
 * @throws AbortError where the signal fires
 */
export async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  await wait(milliseconds, undefined, signal && { signal })
}
