/** Why a command ends early: the user, or what runs it, told it to. */
export class Interruption extends Error {
  readonly signal: 'SIGINT' | 'SIGTERM'

  constructor(signal: 'SIGINT' | 'SIGTERM') {
    super(`stopped by ${signal}`)
    this.signal = signal
  }
}

/** Fires when the user stops the command, so that what is half done is put in order first. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => controller.abort(new Interruption(name)))
  return controller.signal
}

/** What stopped the work that failed so, where that was a signal. */
export function findInterruption(error: unknown): Interruption | undefined {
  if (!(error instanceof Error)) return undefined
  return error instanceof Interruption ? error : findInterruption(error.cause)
}
