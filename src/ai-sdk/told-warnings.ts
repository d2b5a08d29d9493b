import type { SharedV4Warning } from '@ai-sdk/provider'
import type { Warning } from '../schemas/index.ts'

/** What an answer warns of, as the AI SDK's own calls do; each says where in the request. */
export function passOn(warnings: readonly Warning[] = []): SharedV4Warning[] {
  return warnings.map(({ message }) => ({ type: 'other', message }))
}
