import { readFile } from 'node:fs/promises'
import { InvalidRequestError } from '../errors/index.ts'

/**
 * A picture of the command line in base64.
 *
 * @param name of the argument
 * @throws InvalidRequestError where the file can't be read
 */
export async function readPicture(name: 'image' | 'mask' | 'control', path: string): Promise<string> {
  try {
    return await readFile(path, 'base64')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new InvalidRequestError(name, `the file ${path} could not be read (${code})`, { cause })
  }
}
