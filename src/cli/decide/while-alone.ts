import { readlink, realpath, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import colors from 'picocolors'
import { throwIfAborted } from '../../errors/aborted-by.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { withLock } from '../../models/files/with-lock.ts'
import { notWritten } from '../output-files.ts'

/** Where the folder of a file that can be written takes no lock beside it, as it is of others or the name is as long as names can be. */
const NO_LOCK = ['EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']

/**
 * Does some work on a file while no other command does work on it that takes its lock, `<file>.lock`, too: it waits for that one.
 *
 * @param work gets a signal that fires, too, with that InvalidRequestError, where another command has taken the lock of one that stood still
 * @throws AbortedError where the signal fires while it waits; InvalidRequestError where the lock was taken, or cannot be
 */
export async function whileAlone<Result>(
  file: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  // Devices and pipes hold nothing that two could spoil.
  if ((await stat(file).catch(() => undefined))?.isFile() === false) return work(signal)
  const located = await locate(file).catch((cause: unknown) => {
    throw notWritten('--out', file, cause)
  })
  const path = `${located}.lock`
  if ((await stat(path).catch(() => undefined))?.isDirectory() === false) {
    const reason = `${path} is a file of something else; this command makes a folder of that name while it writes`
    throw new InvalidRequestError('--out', `${reason}; remove it, or give another name`)
  }
  const onWait = () => void process.stderr.write(`${colors.dim(`waiting for another command that writes ${file}`)}\n`)
  const lost = new AbortController()
  const happened = 'another command took the file over while this one stood still'
  const onLost = () => lost.abort(new InvalidRequestError('--out', `${happened}; give the command again to go on`))
  let isBegun = false
  const begin = () => {
    isBegun = true
    return work(AbortSignal.any([signal, lost.signal]))
  }
  try {
    return await withLock(path, { signal, onWait, onLost }, begin)
  } catch (cause) {
    if (lost.signal.aborted) throw lost.signal.reason
    if (isBegun) throw cause
    throwIfAborted(signal)
    // That the file itself can be written was checked before.
    if (NO_LOCK.includes((cause as NodeJS.ErrnoException).code ?? '')) return work(signal)
    throw notWritten('--out', file, cause)
  }
}

/**
 * Where a file is, links followed, or will be once it is written.
 *
 * @throws errors of the file system where its folder is not there, which the lock would make
 */
async function locate(file: string): Promise<string> {
  try {
    return await realpath(file)
  } catch (error) {
    // Of links that go round in a ring the code is another.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return file
    const folder = await realpath(dirname(file))
    const target = await readlink(file).catch(() => undefined)
    return target === undefined ? file : locate(resolve(folder, target))
  }
}
