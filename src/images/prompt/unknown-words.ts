import type { Warning } from '../../schemas/index.ts'
import type { ImageManifest } from '../image-manifest.ts'
import { shorten, spokenText, wordsOf } from './spoken-text.ts'

/** Words that a warning names, so that it stays short. */
const MOST = 10

/**
 * Says which words of a prompt mean nothing to a model that knows some only, and which it draws as something else;
 * nothing where there are none.
 *
 * @param isEdit whether the prompt says what to change
 * @param manifest has no known words for a model that was trained on language at large
 */
export function findUnknownWords(prompt: string, isEdit: boolean, manifest: ImageManifest): Warning[] {
  if (manifest.known_words === undefined) return []
  const [known, edits] = [new Set(manifest.known_words), new Set(manifest.edit_words)]
  const synonyms = new Map(Object.entries(manifest.synonyms ?? {}))
  const isKnown = (word: string) => known.has(word) && (isEdit || !edits.has(word))
  const foreign = [...new Set(wordsOf(spokenText(prompt)))].filter((word) => !isKnown(word))
  const unknown = foreign.filter((word) => !synonyms.has(word))
  const meant = foreign.flatMap((word) => (synonyms.has(word) ? `${word} as ${synonyms.get(word)}` : []))
  if (foreign.length === 0) return []
  const said = [
    ...(unknown.length > 0 ? [`not ${listSome(unknown.map(shorten))}`] : []),
    ...(meant.length > 0 ? [`draws ${listSome(meant)}`] : []),
  ]
  return [
    {
      code: 'unknown_words',
      path: 'prompt',
      message: `prompt: this small model knows few words, and ${said.join(', and ')}; its card (README.md in its folder) lists what it draws`,
    },
  ]
}

function listSome(words: readonly string[]): string {
  const more = words.length > MOST ? ` and ${words.length - MOST} more` : ''
  return `${words.slice(0, MOST).join(', ')}${more}`
}
