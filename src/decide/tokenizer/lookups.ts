import { ModelFormatError } from '../../errors/index.ts'

/**
 * The lookups of a tokenizer by name.
 *
 * @param path of its file, for errors
 * @param structural ids of its added tokens
 */
export function createLookups(
  path: string,
  structural: ReadonlyMap<string, number>,
  encode: (text: string) => readonly number[],
) {
  return {
    structural(token: string): number {
      const id = structural.get(token)
      if (id === undefined) throw new ModelFormatError(path, `the added token ${token}`, 'none of that name')
      return id
    },
    single(text: string): number | undefined {
      const ids = encode(text)
      return ids.length === 1 ? ids[0] : undefined
    },
  }
}
