import { totalmem } from 'node:os'

/** Memory in bytes. A container may allow less than the machine has; no limit is given as 0, or as more than there is. */
export function totalMemory(): number {
  return Math.min(totalmem(), process.constrainedMemory() || Number.POSITIVE_INFINITY)
}
