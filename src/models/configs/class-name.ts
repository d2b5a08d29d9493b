import * as z from 'zod'

/** The `_class_name` that diffusers writes into a part's `config.json`; another class computes something else. */
export function className(name: string) {
  const error = ({ input }: { readonly input?: unknown }) => `expected ${name}, got ${String(input).slice(0, 100)}`
  return z.literal(name, { error }).optional()
}
