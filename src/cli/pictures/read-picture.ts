import { readBytes } from '../read-file.ts'

/**
 * A picture of the command line in base64.
 *
 * @param name of the argument
 * @throws InvalidRequestError where the file can't be read
 */
export async function readPicture(name: 'image' | 'mask' | 'control', path: string): Promise<string> {
  return (await readBytes(path, name)).toString('base64')
}
