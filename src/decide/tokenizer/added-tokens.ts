import { ModelFormatError } from '../../errors/index.ts'
import { requireEmbedding } from './lookup.ts'

interface AddedToken {
  readonly content: string
  readonly [flag: string]: unknown
}

/** Cuts a text at these tokens, the longest where several begin: text, token, text, and so on. */
export function cutAtTokens(tokens: readonly Pick<AddedToken, 'content'>[]): (text: string) => string[] {
  if (tokens.length === 0) return (text) => [text]
  const longestFirst = tokens.map(({ content }) => content).sort((a, b) => b.length - a.length)
  const escaped = longestFirst.map((content) => content.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const found = new RegExp(`(${escaped.join('|')})`)
  return (text) => text.split(found)
}

/** @throws ModelFormatError for a token that takes the blanks around it, or is found as a word alone: it would be found in other places */
export function requirePlain({ content, ...flags }: AddedToken, path: string): void {
  const unread = ['lstrip', 'rstrip', 'single_word'].find((flag) => flags[flag] === true)
  if (unread === undefined) return
  throw new ModelFormatError(path, `${unread} false in the added token ${content.slice(0, 200)}`, 'true')
}

/**
 * @param tokens that are found in texts
 * @throws ModelFormatError for one that would be found in other places, or has no embedding
 */
export function requireReadable(
  tokens: readonly (AddedToken & { readonly id: number })[],
  normalizer: unknown,
  { path, vocabulary }: { readonly path: string; readonly vocabulary?: number | undefined },
): void {
  const lowers = JSON.stringify(normalizer ?? null).includes('"Lowercase"')
  for (const token of tokens) {
    const { id, content, normalized } = token
    requireEmbedding(path, content, id, vocabulary)
    requirePlain(token, path)
    // The reference looks for it in what was normalised, and so in capitals too.
    if (!lowers || normalized !== true || content.toLowerCase() === content.toUpperCase()) continue
    const expected = `normalized false in the added token ${content.slice(0, 200)} beside Lowercase`
    throw new ModelFormatError(path, expected, 'true')
  }
}
