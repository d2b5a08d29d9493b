/** Fires when the user stops the command, so that what is half done is put in order first. */
export function untilInterrupted(): AbortSignal {
  const controller = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const)
    process.once(name, () => controller.abort(new Error(`stopped by ${name}`)))
  return controller.signal
}
