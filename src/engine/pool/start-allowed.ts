import { InternalError } from '../../errors/index.ts'

/**
 * Starts what Node's permission model may forbid, which holds for as long as the process lives.
 *
 * @throws InternalError with the remedy where it does: trying again cannot help
 */
export function startAllowed<Started>(start: () => Started, remedy: string): Started {
  try {
    return start()
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'ERR_ACCESS_DENIED') throw cause
    throw new InternalError(`Node's permission model keeps the engine from starting its worker: ${remedy}`, { cause })
  }
}
