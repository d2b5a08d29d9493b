import { stripVTControlCharacters } from 'node:util'
import { type ArgsDef, type CommandContext, type CommandDef, renderUsage } from 'citty'
import colors from 'picocolors'
import { AbortedError, InternalError, InvalidRequestError, TesseraError, toTesseraError } from '../errors/index.ts'
import { describeFault } from '../http/describe-fault.ts'
import { nearestName } from '../schemas/nearest-name.ts'
import { formatExamples, PROGRAM } from './examples.ts'
import { refuseUnknownArguments } from './refuse-unknown-arguments.ts'
import { showControls } from './show-controls.ts'
import { findInterruption } from './until-interrupted.ts'

/** Exit status of bad arguments or input, as opposed to 1 for work that failed. */
const USAGE = 2

/** Runs a command's work; an error ends it with one line on stderr, and a stack only where it is nobody's mistake. */
export async function runCommand<Args extends ArgsDef>(
  context: CommandContext<Args>,
  work: (context: CommandContext<Args>) => Promise<void>,
): Promise<void> {
  try {
    refuseUnknownArguments(context)
    await work(context)
  } catch (error) {
    printFailure(asFailure(error), (context.args as { readonly json?: boolean }).json ?? false)
  }
}

/** What other code says of its failure, as Node does with the path of a file, helps more than that it failed. */
function asFailure(error: unknown): TesseraError {
  const interruption = findInterruption(error)
  if (interruption !== undefined && !TesseraError.isInstance(error))
    return new AbortedError(undefined, { cause: interruption })
  const failure = toTesseraError(error)
  const isOther = failure instanceof InternalError && failure !== error && error instanceof Error
  return isOther ? new InternalError(error.message, { cause: error }) : failure
}

/** Who stopped the command is of more use than that a signal did, and what a command itself says of that of more still. */
function describe(error: TesseraError): string {
  const { cause } = error
  const isOfSignal = error instanceof AbortedError && cause instanceof Error && !(cause instanceof AbortedError)
  return isOfSignal ? cause.message : error.message
}

/** One line on stderr; for programs that asked for JSON also a document on stdout, where they look for one. */
function printFailure(error: TesseraError, json: boolean): void {
  if (json) printResult(true, { error: toDocument(error) }, String)
  printError(describe(error), statusOf(error))
  // Whoever has to report it, or finds it in the log of a service, needs to know where it comes from.
  if (error.code === InternalError.code) process.stderr.write(`${showControls(describeFault(error))}\n`)
}

function toDocument(error: TesseraError): object {
  const { code, path, retryable } = error
  const message = describe(error)
  if (isOfFullDisk(error)) return { code: InternalError.code, message, retryable }
  return { code, message, ...(path === undefined ? {} : { path }), retryable }
}

function statusOf(error: TesseraError): number {
  const interruption = findInterruption(error)
  if (interruption !== undefined) return interruption.status
  return error.code === InvalidRequestError.code && !isOfFullDisk(error) ? USAGE : 1
}

/** A disk that filled while a result was written, or an account's part of it: what the command was given was right. */
function isOfFullDisk({ code, cause }: TesseraError): boolean {
  const reason = (cause as NodeJS.ErrnoException | undefined)?.code ?? ''
  return code === InvalidRequestError.code && ['ENOSPC', 'EDQUOT'].includes(reason)
}

/** What comes before a command runs: one that is unknown, a required argument that is missing, an option out of place. */
export function reportUsageError(error: unknown, commands: readonly string[], rawArgs: readonly string[]): void {
  const json = rawArgs.includes('--json')
  if (InvalidRequestError.isInstance(error)) return printFailure(error, json)
  if (!(error instanceof Error && error.name === 'CLIError')) throw error
  const message = stripVTControlCharacters(error.message).replace(/\.$/, '')
  const unknown = /^Unknown command (.+)$/.exec(message)?.[1]
  const given = commands.find((command) => command === rawArgs[0])
  const meant = unknown === undefined ? undefined : nearestName(unknown, commands)
  const remedy =
    meant === undefined
      ? `see npx tessera-onnx ${given === undefined ? '' : `${given} `}--help`
      : `${meant} may be meant`
  printFailure(new InvalidRequestError('arguments', `${message}; ${remedy}`), json)
}

/** citty colours its usage wherever it goes, and names a command within another without the program. */
export async function printUsage<Args extends ArgsDef>(
  command: CommandDef<Args>,
  parent?: CommandDef<Args>,
): Promise<void> {
  const [name, group] = [await nameOf(command), parent && (await nameOf(parent))]
  const isInner = group !== undefined && group !== PROGRAM
  const shown = isInner ? { ...parent, meta: { name: `${PROGRAM} ${group}` } } : parent
  const examples = formatExamples(isInner ? `${group} ${name}` : name)
  const usage = `${await renderUsage(command, shown)}\n\n${examples}`
  process.stdout.write(`${colors.isColorSupported && process.stdout.isTTY ? usage : stripVTControlCharacters(usage)}\n`)
}

async function nameOf<Args extends ArgsDef>({ meta }: CommandDef<Args>): Promise<string> {
  return (await (typeof meta === 'function' ? meta() : meta))?.name ?? ''
}

/** Ends the process when stdout cannot be written: silently where its reader has gone, as after `| head`. */
export function endWithoutReader({ code }: NodeJS.ErrnoException): never {
  if (code !== 'EPIPE') printError(`stdout could not be written (${code})`, 1)
  process.exit(code === 'EPIPE' ? 0 : 1)
}

function printError(message: string, exitCode: number): void {
  // Where somebody watches, progress that stopped halfway may stand in the line.
  process.stderr.write(
    `${process.stderr.isTTY && process.env['TERM'] !== 'dumb' ? '\r\x1b[K' : ''}${colors.red('error')} ${showControls(message)}\n`,
  )
  process.exitCode = exitCode
}

/** Results go to stdout: one JSON document for programs, or text for people. */
export function printResult(json: boolean, value: unknown, format: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(value, null, 2) : showControls(format())}\n`)
}
