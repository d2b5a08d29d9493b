import type { SharedV4ProviderOptions, SharedV4Warning } from '@ai-sdk/provider'
import type { Warning } from '../schemas/index.ts'

/** What an answer warns of, as the AI SDK's own calls do; each says where in the request. */
export function passOn(warnings: readonly Warning[] = []): SharedV4Warning[] {
  return warnings.map(({ message }) => ({ type: 'other', message }))
}

/** A warning for each member of `providerOptions.tessera` that nothing here reads: a typo must not pass for a setting. */
export function warnOfUnknown(
  options: SharedV4ProviderOptions | undefined,
  known: readonly string[],
): SharedV4Warning[] {
  return Object.entries(options?.tessera ?? {})
    .filter(([name, value]) => value !== undefined && !known.includes(name))
    .map(([name]) => ({
      type: 'unsupported',
      feature: `providerOptions.tessera.${name}`,
      details: `only ${known.join(', ')} ${known.length === 1 ? 'is' : 'are'} read`,
    }))
}
