import { ModelFormatError } from '../../errors/index.ts'

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

/** @throws ModelFormatError for a token that is found in what lowering makes of a text, in capitals too */
export function requireAsWritten({ content, normalized }: AddedToken, normalizer: unknown, path: string): void {
  if (normalized !== true || content.toLowerCase() === content.toUpperCase()) return
  if (!JSON.stringify(normalizer ?? null).includes('"Lowercase"')) return
  throw new ModelFormatError(
    path,
    `normalized false in the added token ${content.slice(0, 200)} beside Lowercase`,
    'true',
  )
}
