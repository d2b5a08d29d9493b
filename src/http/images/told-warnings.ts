import type { Warning } from '../../schemas/index.ts'

/** Clients and proxies read 4 to 16 kB of headers, all of them together; with more they lose the whole answer. */
const MOST_BYTES = 2500

const OF_MODELS: ReadonlySet<string> = new Set<Warning['code']>([
  'unknown_words',
  'nothing_named',
  'unknown_letters',
  'object_colors',
  'many_objects',
])

/**
 * What the model warns of, as JSON in ASCII, which is all that a header may hold; undefined for nothing. Fields that
 * nothing reads are not among it: clients may send those of other services. Warnings that do not fit are counted by
 * one of the code `more_warnings`.
 */
export function tellWarnings(warnings: readonly Warning[] = []): string | undefined {
  const told = warnings.filter(({ code }) => OF_MODELS.has(code))
  if (told.length === 0) return undefined
  let room = MOST_BYTES
  const fitting = told.filter((warning) => {
    const bytes = toAscii(warning).length
    const fits = bytes <= room
    if (fits) room -= bytes
    return fits
  })
  const left = told.length - fitting.length
  if (left === 0) return toAscii(told)
  const message = `prompt: ${left} of ${told.length} warnings are too long for a header`
  return toAscii([...fitting, { code: 'more_warnings', path: 'prompt', message }])
}

function toAscii(value: unknown): string {
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(value).replaceAll(/[^ -~]/g, escape)
}
