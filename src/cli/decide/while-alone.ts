import { realpath, stat } from 'node:fs/promises'
import colors from 'picocolors'
import { AbortedError } from '../../errors/index.ts'
import { withLock } from '../../models/files/with-lock.ts'
import { notWritten } from '../output-files.ts'

/** Where the folder of a file that can be written takes no lock beside it. */
const NO_LOCK = ['EACCES', 'EPERM', 'EROFS']

/**
 * Does some work on a file while no other command does work on it that takes its lock, `<file>.lock`, too: it waits for that one.
 *
 * @throws AbortedError where the signal fires while it waits
 */
export async function whileAlone<Result>(
  file: string,
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result> {
  // Devices and pipes hold nothing that two could spoil.
  if ((await stat(file).catch(() => undefined))?.isFile() === false) return work()
  const onWait = () => void process.stderr.write(`${colors.dim(`waiting for another command that writes ${file}`)}\n`)
  let isBegun = false
  const begin = () => {
    isBegun = true
    return work()
  }
  try {
    return await withLock(`${await realpath(file).catch(() => file)}.lock`, { signal, onWait }, begin)
  } catch (cause) {
    if (isBegun) throw cause
    if (signal.aborted) throw new AbortedError(undefined, { cause: signal.reason })
    // That the file itself can be written was checked before.
    if (NO_LOCK.includes((cause as NodeJS.ErrnoException).code ?? '')) return work()
    throw notWritten('--out', file, cause)
  }
}
