import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { lock } from 'proper-lockfile'
import { pause } from '../pull/pause.ts'

/** A lock whose owner has not renewed it for so long is taken over: the owner was killed. */
const STALE_MS = 6000
const LOOK_AGAIN_MS = 500

/**
 * Does some work while no other process does work under the same path.
 *
 * @param onWait called once where another process has the lock
 * @throws AbortError where the signal fires while it waits
 */
export async function withLock<Result>(
  path: string,
  {
    signal,
    onWait,
    onLost = ignoreLost,
  }: { readonly signal?: AbortSignal | undefined; onWait?(): void; onLost?(): void },
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(dirname(path), { recursive: true })
  let release: (() => Promise<void>) | undefined
  for (let waited = false; !release; waited = true) {
    release = await acquire(path, onLost)
    if (release) break
    if (!waited) onWait?.()
    await pause(LOOK_AGAIN_MS, signal)
  }
  try {
    return await work()
  } finally {
    await release().catch(ignoreLost)
  }
}

async function acquire(path: string, onLost: () => void): Promise<(() => Promise<void>) | undefined> {
  try {
    return await lock(path, { lockfilePath: path, realpath: false, stale: STALE_MS, onCompromised: onLost })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ELOCKED') return undefined
    throw error
  }
}

/**
 * A lock is taken over where this process slept longer than `STALE_MS`. What is downloaded is checked before it counts, and files
 * are replaced whole, so that of two changes of one file the later one is left.
 */
function ignoreLost(): void {}
