import type { Warning } from '../../schemas/index.ts'

/**
 * What the model warns of, as JSON in ASCII, which is all that a header may hold; undefined for nothing. Fields that
 * nothing reads are not among it: clients may send those of other services.
 */
export function tellWarnings(warnings: readonly Warning[] = []): string | undefined {
  const told = warnings.filter(({ code }) => code === 'unknown_words' || code === 'object_colors')
  if (told.length === 0) return undefined
  const escape = (unit: string) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  return JSON.stringify(told).replaceAll(/[^ -~]/g, escape)
}
