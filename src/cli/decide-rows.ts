import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import colors from 'picocolors'
import type { DecisionOutcome, Engine, LoraOption } from '../engine/index.ts'
import { AbortedError } from '../errors/index.ts'
import type { DecisionRequestInput } from '../schemas/index.ts'
import { countAnswered } from './answers-file.ts'
import { notWritten } from './output-files.ts'
import { readRows } from './read-rows.ts'

/** Milliseconds between two lines of progress. */
const REPORT_MS = 200

export interface RowsJob {
  /** File of the rows. */
  readonly each: string
  /** File for the answers, which an earlier run may have begun; stdout without one. */
  readonly out?: string | undefined
  /** Begins anew where the file is there. */
  readonly force: boolean
  /** What all requests have in common: questions, a threshold. Without questions each row is a whole request. */
  readonly common: Readonly<Record<string, unknown>>
  /** Adapters that all are answered with. */
  readonly lora?: readonly LoraOption[]
  readonly signal: AbortSignal
}

export interface RowsReport {
  /** Rows that have been answered, those of earlier runs included. */
  readonly rows: number
  /** Rows of this run that could not be answered. */
  readonly failed: number
}

/**
 * Answers the rows of a file one after the other, a line of JSON each: `{ row, answers, … }`, or `{ row, error }` for
 * what could not be answered. Rows are read as they are answered, however many there are.
 */
export async function decideRows(
  engine: Engine,
  { each, out, force, common, lora, signal }: RowsJob,
): Promise<RowsReport> {
  const names = common.questions === undefined ? undefined : Object.keys(common.questions as object)
  const before = out === undefined || force ? 0 : await countAnswered(out, names)
  await using output = await openOutput(out, before > 0 ? 'a' : 'w')
  const progress = new RowProgress(before)
  let rows = before
  let failed = 0
  try {
    for await (const outcome of engine.decideMany(requestsOf(each, before, common), { signal, lora })) {
      await output.write(toLine(outcome, before))
      rows++
      if (outcome.error) failed++
      progress.show(rows)
    }
  } catch (error) {
    if (!AbortedError.isInstance(error) || out === undefined) throw error
    throw new AbortedError(`stopped after row ${rows}; the same command goes on from there`, { cause: error })
  } finally {
    progress.end()
  }
  return { rows, failed }
}

async function* requestsOf(
  file: string,
  skip: number,
  common: Readonly<Record<string, unknown>>,
): AsyncGenerator<DecisionRequestInput, void, undefined> {
  let row = 0
  for await (const value of readRows(file)) {
    if (row++ < skip) continue
    // The engine checks what it is given.
    const request = common.questions === undefined ? { ...(value as object), ...common } : { ...common, state: value }
    yield request as unknown as DecisionRequestInput
  }
}

function toLine({ index, response, error }: DecisionOutcome, before: number): string {
  const row = before + index
  if (error === undefined) return `${JSON.stringify({ row, ...response })}\n`
  const { code, message, path } = error
  return `${JSON.stringify({ row, error: { code, message, ...(path === undefined ? {} : { path }) } })}\n`
}

/** Where lines go: a file, which is there when this resolves, or stdout. */
async function openOutput(out: string | undefined, flags: 'a' | 'w') {
  if (out === undefined) return { write: writeToStdout, [Symbol.asyncDispose]: () => Promise.resolve() }
  const refuse = (cause: unknown): never => {
    throw notWritten('--out', out, cause)
  }
  const file: FileHandle = await open(out, flags).catch(refuse)
  return {
    write: (line: string): Promise<void> => file.appendFile(line).catch(refuse),
    [Symbol.asyncDispose]: () => file.close(),
  }
}

async function writeToStdout(line: string): Promise<void> {
  if (!process.stdout.write(line)) await once(process.stdout, 'drain')
}

/** A line on stderr that is overwritten, only where somebody watches. */
class RowProgress {
  readonly #before: number
  readonly #started = performance.now()
  #shown = 0

  constructor(before: number) {
    this.#before = before
    if (before > 0) process.stderr.write(`${colors.dim(`going on after row ${before} of an earlier run`)}\n`)
  }

  show(rows: number): void {
    const now = performance.now()
    if (!process.stderr.isTTY || now - this.#shown < REPORT_MS) return
    this.#shown = now
    const rate = (rows - this.#before) / ((now - this.#started) / 1000)
    process.stderr.write(`\r\x1b[K${colors.dim(`${rows.toLocaleString('en-US')} rows, ${rate.toFixed(1)} a second`)}`)
  }

  end(): void {
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
  }
}
