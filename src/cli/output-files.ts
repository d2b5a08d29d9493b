import { access, constants, readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InvalidRequestError } from '../errors/index.ts'
import { writeWhole } from '../models/files/write-whole.ts'

/** For commands that write one file and have no better name for it. */
export const forceArgument = {
  force: { type: 'boolean', alias: 'f', description: 'replace the file even if this command did not write it' },
} as const

interface Replacing {
  /** Files that the command reads, which are never replaced. */
  readonly inputs: readonly (string | undefined)[]
  /** Whether a file that is there may be replaced whatever is in it. */
  readonly force: boolean | undefined
  /** Whether a text is what the command wrote in an earlier run. */
  readonly isOwn: (text: string) => boolean
}

/**
 * Refuses a file that cannot be written, before anything is computed for it.
 *
 * @param argument that names it, for the error
 * @throws InvalidRequestError saying why
 */
export async function requireWritable(argument: string, file: string): Promise<void> {
  const there = await stat(file).catch(() => undefined)
  if (there?.isDirectory()) throw new InvalidRequestError(argument, `${file} is a folder; give the name of a file`)
  const place = there ? file : dirname(file)
  await access(place, constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    if (there || cause.code !== 'ENOENT') throw notWritten(argument, file, cause)
    throw new InvalidRequestError(argument, `${file} could not be written: there is no folder ${place}`, { cause })
  })
}

/**
 * Refuses one that holds what should not be lost, too.
 *
 * @throws InvalidRequestError saying why
 */
export async function requireReplaceable(
  argument: string,
  file: string,
  { inputs, force, isOwn }: Replacing,
): Promise<void> {
  await requireWritable(argument, file)
  await refuseInput(argument, file, inputs)
  const there = await stat(file).catch(() => undefined)
  // Devices, such as /dev/stdout, have nothing to lose, and reading one may wait for ever.
  if (force || !there?.isFile() || there.size === 0 || isOwn(await readFile(file, 'utf8'))) return
  throw new InvalidRequestError(
    argument,
    `${file} exists and is not of an earlier run; give another name, or --force to replace it`,
  )
}

/** @throws InvalidRequestError where a file to write is one of those to read, under whatever name */
export async function refuseInput(
  argument: string,
  file: string,
  inputs: readonly (string | undefined)[],
): Promise<void> {
  const identify = async (path: string) => {
    const { dev, ino } = await stat(path, { bigint: true })
    return `${dev} ${ino}`
  }
  const own = await identify(file).catch(() => undefined)
  if (own === undefined) return
  for (const input of inputs) {
    // What is not there has nothing to lose.
    if (input !== undefined && own === (await identify(input).catch(() => undefined)))
      throw new InvalidRequestError(argument, `${file} is read by this command too; give another name`)
  }
}

/** @throws InvalidRequestError saying why it could not be written */
export async function writeOutput(argument: string, file: string, text: string): Promise<void> {
  await writeWhole(file, text).catch((cause: unknown) => {
    throw notWritten(argument, file, cause)
  })
}

export function notWritten(argument: string, file: string, cause: unknown): InvalidRequestError {
  const { code = 'unknown error' } = cause as NodeJS.ErrnoException
  return new InvalidRequestError(argument, `${file} could not be written (${code})`, { cause })
}
