import { InvalidRequestError } from '../../errors/index.ts'
import { exists } from '../../models/files/exists.ts'
import { writeWhole } from '../../models/files/write-whole.ts'
import { notWritten, requireWritable } from '../output-files.ts'

const EXTENSION = '.png'

/**
 * Paths for a number of pictures: the one given, or for several `name-0.png`, `name-1.png` and so on.
 *
 * @throws InvalidRequestError when it doesn't end with `.png`, its folder or one of the files can't be written to, or one
 * exists and `force` doesn't allow to replace it
 */
export async function planFiles(out: string, count: number, force: boolean): Promise<string[]> {
  if (!out.toLowerCase().endsWith(EXTENSION)) {
    throw new InvalidRequestError('--out', `expected a name that ends with ${EXTENSION}, got ${out}`)
  }
  const stem = out.slice(0, -EXTENSION.length)
  const paths = count === 1 ? [out] : Array.from({ length: count }, (_, k) => `${stem}-${k}${EXTENSION}`)
  for (const path of paths) {
    await requireWritable('--out', path)
    if (!force && (await exists(path))) throw alreadyThere(path)
  }
  return paths
}

/** @param png in base64 */
export async function writePicture(path: string, png: string, force: boolean): Promise<void> {
  try {
    await writeWhole(path, Buffer.from(png, 'base64'), { replace: force })
  } catch (cause) {
    throw (cause as NodeJS.ErrnoException).code === 'EEXIST' ? alreadyThere(path) : notWritten('--out', path, cause)
  }
}

function alreadyThere(path: string): InvalidRequestError {
  return new InvalidRequestError('--out', `${path} exists; give another name, or --force to replace it`)
}
