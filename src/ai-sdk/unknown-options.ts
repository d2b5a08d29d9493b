import type { SharedV4ProviderOptions, SharedV4Warning } from '@ai-sdk/provider'

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
