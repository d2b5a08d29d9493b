import colors from 'picocolors'
import type { Warning } from '../schemas/index.ts'

/** What was ignored in a request, on stderr. */
export function printWarnings({ warnings = [] }: { readonly warnings?: readonly Warning[] }): void {
  for (const { message } of warnings) process.stderr.write(`${colors.yellow('warning')} ${message}\n`)
}
