import type { DecisionOutcome } from '../../engine/index.ts'

/** A line of a file of answers, with its break. */
export function toLine({ response, error }: Omit<DecisionOutcome, 'index'>, row: number, asked: string): string {
  if (error === undefined) return `${JSON.stringify({ row, ...response, asked })}\n`
  const { code, message, path } = error
  return `${JSON.stringify({ row, error: { code, message, ...(path === undefined ? {} : { path }) }, asked })}\n`
}

/** Whether what a line has as `error` may be over: what is wrong with a row stays so; memory, workers and devices may be back. */
export function isPassing(error: unknown): boolean {
  return error !== undefined && (error as { readonly code?: unknown } | null)?.code !== 'invalid_request'
}
