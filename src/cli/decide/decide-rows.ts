import { once } from 'node:events'
import { access, constants, type FileHandle, open, realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import colors from 'picocolors'
import type { Engine, LoraOption } from '../../engine/index.ts'
import { AbortedError, type TesseraError } from '../../errors/index.ts'
import type { DecisionRequestInput } from '../../schemas/index.ts'
import { notWritten, requireWritable } from '../output-files.ts'
import { answerAgain } from './answer-again.ts'
import { toLine } from './answer-line.ts'
import { type AnsweredRows, countAnswered, NONE } from './answers-file.ts'
import { askedDigest } from './asked-digest.ts'
import { type AskedRow, requestsOf } from './row-requests.ts'
import { whileAlone } from './while-alone.ts'

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
  /** What answers depend on beside requests and models, such as a calibration: an earlier run must have had the same. */
  readonly settings?: unknown
  /** Adapters that all are answered with. */
  readonly lora?: readonly LoraOption[]
  readonly signal: AbortSignal
}

export interface RowsReport {
  /** Rows that have been answered, those of earlier runs included. */
  readonly rows: number
  /** Those of them that could not be answered. */
  readonly failed: number
}

/**
 * Answers the rows of a file one after the other, a line of JSON each: `{ row, answers, …, asked }`, or `{ row, error, asked }`
 * for what could not be answered. Rows are read as they are answered, however many there are.
 */
export async function decideRows(engine: Engine, job: RowsJob): Promise<RowsReport> {
  const { out, signal } = job
  if (out === undefined) return await answerFile(engine, job)
  await requireWritable('--out', out)
  return await whileAlone(out, signal, (ending) => answerFile(engine, { ...job, signal: ending }))
}

async function answerFile(engine: Engine, job: RowsJob): Promise<RowsReport> {
  const { each, out, common, settings, lora } = job
  const toAsked = askedDigest([common, settings, lora, await modelsOf(engine)])
  const requests = requestsOf(each, common, toAsked)
  try {
    const counted = out === undefined || job.force ? NONE : await countAnswered(out, requests)
    const again = await againIn(engine, job, toAsked, counted)
    const before = { rows: counted.rows, failed: counted.failed - counted.passing + again }
    await using output = outputTo(out, before.rows > 0 ? 'a' : 'w')
    const report = await answerRows(engine, requests, { ...job, before, write: output.write })
    await output.begin()
    return report
  } finally {
    // Not waited for: of a pipe the next row may never come.
    requests.return().catch(() => {})
  }
}

/** Asks those again that failed for a reason that may be over. Returns how many of them still fail. */
async function againIn(
  engine: Engine,
  { each, out, common, lora, signal }: RowsJob,
  toAsked: (row: unknown) => string,
  { passing }: AnsweredRows,
): Promise<number> {
  if (out === undefined || passing === 0) return passing
  const hindrance = await findHindrance(each, out)
  const rows = `the ${passing} rows that could not be answered`
  const line = hindrance === undefined ? `asking ${rows} again` : `not asking ${rows} again, as ${hindrance}`
  process.stderr.write(`${colors.dim(line)}\n`)
  if (hindrance !== undefined) return passing
  return await answerAgain(out, () => requestsOf(each, common, toAsked), { engine, lora, signal, total: passing })
}

/** Why rows cannot be asked again; undefined where they can. */
async function findHindrance(each: string, out: string): Promise<string | undefined> {
  if (!(await stat(each)).isFile()) return `${each} is read only once; give them as a file`
  const folder = dirname(await realpath(out))
  return access(folder, constants.W_OK).then(
    () => undefined,
    () => `${folder} takes no other file`,
  )
}

async function answerRows(
  engine: Engine,
  requests: AsyncIterable<AskedRow>,
  {
    before,
    write,
    out,
    signal,
    lora,
    common,
  }: RowsJob & { before: RowsReport; write: (line: string) => Promise<void> },
): Promise<RowsReport> {
  const progress = new RowProgress(before.rows, out)
  // Outcomes come in the order of the rows.
  const waiting: string[] = []
  let { rows, failed } = before
  try {
    for await (const outcome of engine.decideMany(following(requests, waiting), { signal, lora })) {
      if (rows === 0 && 'questions' in common && outcome.error && isOfAll(outcome.error)) throw outcome.error
      await write(toLine(outcome, rows, waiting.shift()!))
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

/** Which models may answer. */
async function modelsOf(engine: Engine): Promise<unknown> {
  const models = await engine.models()
  return models.flatMap(({ name, id, identity, kind }) => (kind === 'images' ? [] : [[name, id, identity]]))
}

async function* following(
  rows: AsyncIterable<AskedRow>,
  waiting: string[],
): AsyncGenerator<DecisionRequestInput, void, undefined> {
  for await (const { request, asked } of rows) {
    waiting.push(asked)
    yield request
  }
}

/** Whether no row could be answered: it is the model, an adapter or a question that is wrong, which rows to common questions do not have themselves. */
function isOfAll({ code, path = '' }: TesseraError): boolean {
  return ['model_format', 'model_not_found'].includes(code) || path === 'model' || /^(?:lora|questions)\b/.test(path)
}

/**
 * Where lines go: a file, or stdout. The file is begun with its first line: rows that cannot be read, or a command that is stopped before,
 * replace no answers of an earlier run.
 */
function outputTo(out: string | undefined, flags: 'a' | 'w') {
  if (out === undefined)
    return { begin: () => Promise.resolve(), write: writeToStdout, [Symbol.asyncDispose]: () => Promise.resolve() }
  const refuse = (cause: unknown): never => {
    throw notWritten('--out', out, cause)
  }
  let file: FileHandle | undefined
  const begin = async () => void (file ??= await open(out, flags).catch(refuse))
  return {
    begin,
    write: async (line: string): Promise<void> => {
      await begin()
      await file!.appendFile(line).catch(refuse)
    },
    [Symbol.asyncDispose]: async () => file?.close(),
  }
}

async function writeToStdout(line: string): Promise<void> {
  if (!process.stdout.write(line)) await once(process.stdout, 'drain')
}

/** A line on stderr that is overwritten, only where somebody watches it and not the answers themselves. */
class RowProgress {
  readonly #before: number
  readonly #started = performance.now()
  readonly #isShown: boolean
  #shown = 0

  constructor(before: number, out: string | undefined) {
    this.#before = before
    this.#isShown = process.stderr.isTTY && !(out === undefined && process.stdout.isTTY)
    if (before > 0) process.stderr.write(`${colors.dim(`going on after row ${before} of an earlier run`)}\n`)
  }

  show(rows: number): void {
    const now = performance.now()
    if (!this.#isShown || now - this.#shown < REPORT_MS) return
    this.#shown = now
    const rate = (rows - this.#before) / ((now - this.#started) / 1000)
    process.stderr.write(`\r\x1b[K${colors.dim(`${rows.toLocaleString('en-US')} rows, ${rate.toFixed(1)} a second`)}`)
  }

  end(): void {
    if (this.#isShown) process.stderr.write('\r\x1b[K')
  }
}
