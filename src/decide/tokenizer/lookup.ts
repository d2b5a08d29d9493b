import { ModelFormatError } from '../../errors/index.ts'

/**
 * The lookup of a tokenizer's added tokens by name.
 *
 * @param path of its file, for errors
 * @param structural ids of its added tokens
 * @param vocabulary rows that the model's embeddings have
 */
export function createLookup(
  path: string,
  structural: ReadonlyMap<string, number>,
  vocabulary?: number,
): (token: string) => number {
  return (token) => {
    const id = structural.get(token)
    if (id === undefined) throw new ModelFormatError(path, `the added token ${token}`, 'none of that name')
    requireEmbedding(path, token, id, vocabulary)
    return id
  }
}

/** @throws ModelFormatError for the id of a token that the model has no embedding of */
export function requireEmbedding(path: string, token: string, id: number, vocabulary = Number.POSITIVE_INFINITY): void {
  if (id < vocabulary) return
  throw new ModelFormatError(path, `${token} below ${vocabulary}, as many as the model has embeddings`, String(id))
}
