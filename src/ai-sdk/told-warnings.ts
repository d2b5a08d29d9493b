import type { SharedV4Warning } from '@ai-sdk/provider'
import type { Warning } from '../schemas/index.ts'

/** What an answer warns of, as the AI SDK's own calls do. */
export function passOn(warnings: readonly Warning[] = []): SharedV4Warning[] {
  return warnings.map(({ path, message }) => ({ type: 'other', message: `${path}: ${message}` }))
}
