import { throwIfAborted } from '../errors/aborted-by.ts'

/** Milliseconds that a fit computes at a stretch. */
const STRETCH = 20

/** Gives others of this thread their turn. @throws AbortedError where the signal has ended the work by then */
export async function pause(signal: AbortSignal | undefined): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve))
  throwIfAborted(signal)
}

/** A {@link pause} where the last was long enough ago, else undefined, so that short work needs not wait for it. */
export type Pauses = () => Promise<void> | undefined

export function createPauses(signal: AbortSignal | undefined): Pauses {
  let last = performance.now()
  return () => {
    if (performance.now() - last < STRETCH) return undefined
    return pause(signal).finally(() => (last = performance.now()))
  }
}
