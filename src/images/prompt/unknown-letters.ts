import type { Warning } from '../../schemas/index.ts'
import type { ImageManifest } from '../image-manifest.ts'
import { quotedTexts, shorten } from './spoken-text.ts'

/**
 * Says what a prompt asks for in quotes and a model cannot write: letters that it was never shown, and texts longer than those it was
 * shown. Nothing where it can.
 *
 * @param letters what it writes; undefined for a model that was trained on language at large
 */
export function findUnknownLetters(prompt: string, letters: ImageManifest['letters']): Warning[] {
  if (letters === undefined) return []
  const quoted = quotedTexts(prompt).map((text) => [...text.normalize('NFC')])
  const unknown = [...new Set(quoted.flat())].filter((letter) => !letters.known.includes(letter))
  const long = quoted.filter(({ length }) => length > letters.longest)
  if (unknown.length === 0 && long.length === 0) return []
  const said = [
    ...(unknown.length > 0 ? [`not ${shorten(unknown.join(' '))}`] : []),
    ...(long.length > 0 ? [`no more than ${letters.longest} letters in a text`] : []),
  ]
  return [
    {
      code: 'unknown_letters',
      path: 'prompt',
      message: `prompt: in quotes this small model writes ${said.join(', and ')}; its card (README.md in its folder) lists what it writes`,
    },
  ]
}
