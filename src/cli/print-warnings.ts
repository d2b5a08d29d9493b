import colors from 'picocolors'
import type { Warning } from '../schemas/index.ts'
import { showControls } from './show-controls.ts'

/** What was ignored in a request or an option, on stderr. */
export function printWarnings({ warnings = [] }: { readonly warnings?: readonly Pick<Warning, 'message'>[] }): void {
  for (const { message } of warnings) process.stderr.write(`${colors.yellow('warning')} ${showControls(message)}\n`)
}
