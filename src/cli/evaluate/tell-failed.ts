import type { RowFailure } from '../../evaluate/answer-rows.ts'
import { printWarnings } from '../print-warnings.ts'

/** More of them say nothing new. */
const MOST_LINES = 5

/** A row without an answer, as JSON: by its line, from 1. */
interface FailedLine {
  readonly line: number
  readonly error: { readonly code: string; readonly message: string }
}

export function toFailedLines(failed: readonly RowFailure[], lines: readonly number[]): FailedLine[] {
  return failed.map(({ row, error: { code, message } }) => ({ line: lines[row]!, error: { code, message } }))
}

/** Says on stderr which rows are missing in the figures; the exit status says that there are some. */
export function tellFailed(failed: readonly RowFailure[], lines: readonly number[], model?: string): void {
  if (failed.length === 0) return
  const all = toFailedLines(failed, lines)
  const by = model === undefined ? '' : ` by ${model}`
  const shown = all.slice(0, MOST_LINES).map(({ line, error }) => ({
    message: `--data, line ${line} could not be answered${by} and is left out: ${error.message}`,
  }))
  const more = all.length - shown.length
  const rest = more > 0 ? [{ message: `so are ${more} other lines` }] : []
  printWarnings({ warnings: [...shown, ...rest] })
  process.exitCode = 1
}
