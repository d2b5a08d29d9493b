import { ModelFormatError } from '../../errors/index.ts'

/**
 * The lookups of a tokenizer by name.
 *
 * @param path of its file, for errors
 * @param structural ids of its added tokens
 * @param vocabulary rows that the model's embeddings have
 */
export function createLookups(
  path: string,
  structural: ReadonlyMap<string, number>,
  encode: (text: string) => readonly number[],
  vocabulary?: number,
) {
  return {
    structural(token: string): number {
      const id = structural.get(token)
      if (id === undefined) throw new ModelFormatError(path, `the added token ${token}`, 'none of that name')
      requireEmbedding(path, token, id, vocabulary)
      return id
    },
    single(text: string): number | undefined {
      const ids = encode(text)
      return ids.length === 1 ? ids[0] : undefined
    },
  }
}

/** @throws ModelFormatError for the id of a token that the model has no embedding of */
export function requireEmbedding(path: string, token: string, id: number, vocabulary = Number.POSITIVE_INFINITY): void {
  if (id < vocabulary) return
  throw new ModelFormatError(path, `${token} below ${vocabulary}, as many as the model has embeddings`, String(id))
}
