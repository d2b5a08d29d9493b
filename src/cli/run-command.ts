import { stripVTControlCharacters } from 'node:util'
import type { ArgsDef, CommandContext } from 'citty'
import colors from 'picocolors'
import { InvalidRequestError, TesseraError } from '../errors/index.ts'
import { refuseUnknownArguments } from './refuse-unknown-arguments.ts'

/** Exit status of bad arguments or input, as opposed to 1 for work that failed. */
const USAGE = 2

/** Runs a command's work; an error the library knows ends it with one line on stderr instead of a stack. */
export async function runCommand<Args extends ArgsDef>(
  context: CommandContext<Args>,
  work: (context: CommandContext<Args>) => Promise<void>,
): Promise<void> {
  try {
    refuseUnknownArguments(context)
    await work(context)
  } catch (error) {
    if (!TesseraError.isInstance(error)) throw error
    printError(error.message, error.code === InvalidRequestError.code ? USAGE : 1)
  }
}

/** What the parser of the command line throws: an unknown command, or a required argument that is missing. */
export function reportUsageError(error: unknown): void {
  if (!(error instanceof Error && error.name === 'CLIError')) throw error
  printError(`${stripVTControlCharacters(error.message).replace(/\.$/, '')}; see tessera --help`, USAGE)
}

function printError(message: string, exitCode: number): void {
  process.stderr.write(`${colors.red('error')} ${message}\n`)
  process.exitCode = exitCode
}

/** Results go to stdout: one JSON document for programs, or text for people. */
export function printResult(json: boolean, value: unknown, format: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : format()}\n`)
}
