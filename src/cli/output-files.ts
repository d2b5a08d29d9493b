import { access, constants, stat, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InvalidRequestError } from '../errors/index.ts'

/**
 * Refuses a file that cannot be written, before anything is computed for it.
 *
 * @param argument that names it, for the error
 * @throws InvalidRequestError saying why
 */
export async function requireWritable(argument: string, file: string): Promise<void> {
  const there = await stat(file).catch(() => undefined)
  if (there?.isDirectory()) throw new InvalidRequestError(argument, `${file} is a folder; give the name of a file`)
  await access(there ? file : dirname(file), constants.W_OK).catch((cause: unknown) => {
    throw notWritten(argument, file, cause)
  })
}

/** @throws InvalidRequestError saying why it could not be written */
export async function writeOutput(argument: string, file: string, text: string): Promise<void> {
  await writeFile(file, text).catch((cause: unknown) => {
    throw notWritten(argument, file, cause)
  })
}

export function notWritten(argument: string, file: string, cause: unknown): InvalidRequestError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException
  return new InvalidRequestError(argument, `${file} could not be written (${code})`, { cause })
}
