import { randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, realpath, rename, rm, stat, truncate, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { DecisionOutcome, Engine, LoraOption } from '../../engine/index.ts'
import { AbortedError, EngineDisposedError, InvalidRequestError, toTesseraError } from '../../errors/index.ts'
import { imitate } from '../../models/files/write-whole.ts'
import { notWritten } from '../output-files.ts'
import { isPassing, toLine } from './answer-line.ts'
import type { AskedRow } from './row-requests.ts'
import { splitLines } from './split-lines.ts'

/** Lines that are written at once, as a file may have millions. */
const TOGETHER = 200

const STOPPED = 'stopped while rows that failed were asked again'

interface Asking {
  readonly engine: Engine
  readonly lora?: readonly LoraOption[] | undefined
  readonly signal: AbortSignal
}

/**
 * Asks the rows of a file of answers again that failed for a reason that may be over, and puts what comes in place of their lines.
 * The file is replaced whole; where the work is stopped, with the answers that have come.
 *
 * @param requests of the rows of the file, from the first on
 * @returns how many rows could not be answered again
 * @throws AbortedError, EngineDisposedError, InvalidRequestError
 */
export async function answerAgain(
  file: string,
  requests: AsyncGenerator<AskedRow, void>,
  asking: Asking,
): Promise<number> {
  const target = await realpath(file)
  const draft = join(dirname(target), `.${randomUUID()}`)
  const refuse = (cause: unknown): never => {
    throw notWritten('--out', file, cause)
  }
  // Nobody else reads it while it is made, either.
  const output = await open(draft, 'wx', 0o600).catch(refuse)
  try {
    let failed = 0
    const lines: string[] = []
    for await (const { line, fails } of linesNow(target, requests, asking)) {
      if (lines.push(line) === TOGETHER) await output.appendFile(lines.splice(0).join('')).catch(refuse)
      if (fails) failed++
    }
    await output.appendFile(lines.join('')).catch(refuse)
    await output.close()
    const { aborted, reason } = asking.signal
    // Another command has the file now.
    if (aborted && InvalidRequestError.isInstance(reason)) throw reason
    await replace(target, draft).catch(refuse)
    if (aborted) throw new AbortedError(`${STOPPED}; the same command goes on`, { cause: reason })
    return failed
  } finally {
    await output.close()
    await rm(draft, { force: true })
    await requests.return()
  }
}

/** The lines of the file as they are now. `fails` says of one that it was asked again for nothing. Once the work is stopped, they are those of before. */
async function* linesNow(target: string, requests: AsyncGenerator<AskedRow, void>, asking: Asking) {
  let row = 0
  for await (const { text } of splitLines(createReadStream(target, 'utf8'))) {
    const { error } = JSON.parse(text) as { readonly error?: unknown }
    const { value } = asking.signal.aborted ? {} : await requests.next()
    const outcome = value && isPassing(error) ? await ask(value, asking) : undefined
    if (value && outcome) yield { line: toLine(outcome, row, value.asked), fails: outcome.error !== undefined }
    else yield { line: `${text}\n`, fails: false }
    row++
  }
}

/** Undefined where the work is stopped meanwhile. */
async function ask(
  { request }: AskedRow,
  { engine, lora, signal }: Asking,
): Promise<Omit<DecisionOutcome, 'index'> | undefined> {
  try {
    return { response: await engine.decide(request, { lora, signal }) }
  } catch (thrown) {
    const error = toTesseraError(thrown)
    if (EngineDisposedError.isInstance(error)) throw error
    return AbortedError.isInstance(error) ? undefined : { error }
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
