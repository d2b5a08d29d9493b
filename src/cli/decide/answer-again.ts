import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, realpath, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Engine, LoraOption } from '../../engine/index.ts'
import { AbortedError, InvalidRequestError } from '../../errors/index.ts'
import { imitate } from '../../models/files/write-whole.ts'
import { notWritten } from '../output-files.ts'
import { ProgressReport } from '../progress-report.ts'
import { isPassing, toLine } from './answer-line.ts'
import type { AskedRow } from './row-requests.ts'
import { splitLines } from './split-lines.ts'

/** Lines that are written at once, as a file may have millions. */
const TOGETHER = 200

const STOPPED = 'stopped while rows that failed were asked again'

/** Milliseconds after which the file is replaced with what has come until then: a command that is killed loses no more. */
const ROUND_MS = 60_000

interface Asking {
  readonly engine: Engine
  readonly lora?: readonly LoraOption[] | undefined
  readonly signal: AbortSignal
  /** How many rows failed for a reason that may be over. */
  readonly total: number
}

/**
 * Asks the rows of a file of answers again that failed for a reason that may be over, and puts what comes in place of their lines.
 * The file is replaced whole, every minute; where the work is stopped, with the answers that have come.
 *
 * @param requestsOf gives the requests of the rows of the file, from the first on
 * @returns how many rows could not be answered again
 * @throws AbortedError, EngineDisposedError, InvalidRequestError
 */
export async function answerAgain(
  file: string,
  requestsOf: () => AsyncGenerator<AskedRow, void>,
  asking: Asking,
): Promise<number> {
  const target = await realpath(file)
  const report = new ProgressReport()
  let [done, failed] = [0, 0]
  const onRow = (fails: boolean) => {
    if (fails) failed++
    report.show({ stage: 'asked again', done: ++done, total: asking.total })
  }
  for (let from: number | undefined = 0; from !== undefined;) {
    const round: Round = { file, target, from, requests: requestsOf(), onRow }
    from = await replaceAfter(round, asking)
  }
  return failed
}

interface Round {
  /** The file of answers as it was named, and where it is. */
  readonly file: string
  readonly target: string
  /** The first row that is asked again. */
  readonly from: number
  readonly requests: AsyncGenerator<AskedRow, void>
  /** Told of every row that was asked again whether it failed again. */
  readonly onRow: (fails: boolean) => void
  /** The row that the next round begins with; undefined where this is the last. */
  next?: number | undefined
}

/** One round, after which the file has its answers. Returns the row that the next one begins with. */
async function replaceAfter(round: Round, asking: Asking): Promise<number | undefined> {
  const { file, target, requests } = round
  const draft = join(dirname(target), `.${randomUUID()}`)
  const refuse = (cause: unknown): never => {
    throw notWritten('--out', file, cause)
  }
  // Nobody else reads it while it is made, either.
  const output = await open(draft, 'wx', 0o600).catch(refuse)
  try {
    const lines: string[] = []
    for await (const line of linesNow(round, asking)) {
      if (lines.push(line) === TOGETHER) await output.appendFile(lines.splice(0).join('')).catch(refuse)
    }
    await output.appendFile(lines.join('')).catch(refuse)
    await output.close()
    const { aborted, reason } = asking.signal
    // Another command has the file now.
    if (aborted && InvalidRequestError.isInstance(reason)) throw reason
    await replace(target, draft).catch(refuse)
    if (aborted) throw new AbortedError(`${STOPPED}; the same command goes on`, { cause: reason })
    return round.next
  } finally {
    await output.close()
    await rm(draft, { force: true })
    await requests.return()
  }
}

/** The lines of the file as they are now: those of rows that were not asked again are those of before. */
async function* linesNow(round: Round, asking: Asking): AsyncGenerator<string, void> {
  const outcomes = outcomesNow(round, asking)
  let row = 0
  try {
    let { value: came } = await outcomes.next()
    for await (const { text } of splitLines(createReadStream(round.target, 'utf8'))) {
      if (came?.row === row) {
        yield came.line
        came = (await outcomes.next()).value ?? undefined
      } else yield `${text}\n`
      row++
    }
  } finally {
    await outcomes.return()
  }
}

/** The new lines of the rows that are asked again, in their order. They end where the work is stopped. */
async function* outcomesNow(round: Round, { engine, lora, signal }: Asking) {
  const waiting: { readonly row: number; readonly asked: string }[] = []
  try {
    for await (const outcome of engine.decideMany(requestsNow(round, waiting), { lora, signal })) {
      if (signal.aborted) return
      const { row, asked } = waiting.shift()!
      round.onRow(outcome.error !== undefined)
      yield { row, line: toLine(outcome, row, asked) }
    }
  } catch (error) {
    if (!AbortedError.isInstance(error)) throw error
  }
}

/** The requests that are made again, with what they are of in `waiting`. */
async function* requestsNow(round: Round, waiting: { row: number; asked: string }[]) {
  const began = performance.now()
  let isBegun = false
  let row = 0
  for await (const { text } of splitLines(createReadStream(round.target, 'utf8'))) {
    const { value } = await round.requests.next()
    if (!value) return
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    if (row >= round.from && isPassing(error)) {
      if (isBegun && performance.now() - began > ROUND_MS) {
        round.next = row
        return
      }
      isBegun = true
      waiting.push({ row, asked: value.asked })
      yield value.request
    }
    row++
  }
}

/** Whoever could read the file can read it after. */
async function replace(target: string, draft: string): Promise<void> {
  try {
    await imitate(draft, await stat(target))
    await rename(draft, target)
  } catch {
    // One of another user, or that is a mount itself, is written in its place. Not by `copyFile`, which would give it the mode of the draft, and
    // removes it where it may not.
    await writeFile(target, createReadStream(draft), { flag: 'r+' })
    await truncate(target, (await stat(draft)).size)
  }
}
