import colors from 'picocolors'
import { InvalidRequestError, TesseraError } from '../errors/index.ts'

/** Exit status of bad arguments or input, as opposed to 1 for work that failed. */
const USAGE = 2

/** Runs a command's work; an error the library knows ends it with one line on stderr instead of a stack. */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!TesseraError.isInstance(error)) throw error
    process.stderr.write(`${colors.red('error')} ${error.message}\n`)
    process.exitCode = error.code === InvalidRequestError.code ? USAGE : 1
  }
}

/** Results go to stdout: one JSON document for programs, or text for people. */
export function printResult(json: boolean, value: unknown, format: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : format()}\n`)
}
