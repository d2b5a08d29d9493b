import type { Warning } from '../../schemas/index.ts'
import { spokenText, wordsOf } from './spoken-text.ts'

/** Words that a warning names, so that it stays short. */
const MOST = 10

/**
 * Says which words of a prompt mean nothing to a model that knows some only; nothing where there are none.
 *
 * @param known lower-case words; undefined for a model that was trained on language at large
 */
export function findUnknownWords(prompt: string, known: ReadonlySet<string> | undefined): Warning[] {
  if (known === undefined) return []
  const unknown = [...new Set(wordsOf(spokenText(prompt)))].filter((word) => !known.has(word))
  if (unknown.length === 0) return []
  const named = unknown.slice(0, MOST).join(', ')
  const more = unknown.length > MOST ? ` and ${unknown.length - MOST} more` : ''
  return [
    {
      code: 'unknown_words',
      path: 'prompt',
      message: `prompt: this small model knows few words, and not ${named}${more}; its card lists what it draws`,
    },
  ]
}
