const CODES = new Set<unknown>(['EMFILE', 'ENFILE'])

/** Whether the system opened no file because the process, or the machine, has as many open as it may. */
export function isOutOfFiles(error: unknown): boolean {
  return error instanceof Error && CODES.has((error as NodeJS.ErrnoException).code)
}
