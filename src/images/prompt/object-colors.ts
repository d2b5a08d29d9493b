import type { Warning } from '../../schemas/index.ts'
import type { ImageManifest } from '../image-manifest.ts'
import { shorten, spokenText, wordsOf } from './spoken-text.ts'

/** Words of a model that draws some objects in no colours but their own. */
export type OwnColors = NonNullable<ImageManifest['own_colors']>

/** What ends a phrase, so that a colour before it belongs to no object behind it. */
const BREAKS = /[,.;:!?()\n]/u

/** Phrases that a warning names, so that it stays short. */
const MOST = 5

/**
 * Says where a prompt gives a colour to an object that the model draws in its usual ones only. Looked at are
 * colours right before an object (`a red flat apple`), and at the end of a phrase right behind one (`make the apple red`).
 *
 * @param own undefined for a model that draws objects in any colour
 */
export function findObjectColors(prompt: string, own: OwnColors | undefined): Warning[] {
  if (own === undefined) return []
  const words = { objects: new Set(own.objects), colors: new Set(own.colors), adjectives: new Set(own.adjectives) }
  const phrases = spokenText(prompt).split(BREAKS).map(wordsOf)
  const found = [...new Set(phrases.flatMap((phrase) => findInPhrase(phrase, words)))]
  if (found.length === 0) return []
  const named = found.slice(0, MOST).map(shorten).join(', ')
  const more = found.length > MOST ? ` and ${found.length - MOST} more` : ''
  return [
    {
      code: 'object_colors',
      path: 'prompt',
      message: `prompt: this small model draws some objects in their usual colours only, and not ${named}${more}; its card (README.md in its folder) lists them`,
    },
  ]
}

type Words = Readonly<Record<keyof OwnColors, ReadonlySet<string>>>

function findInPhrase(phrase: readonly string[], { objects, colors, adjectives }: Words): string[] {
  return phrase.flatMap((word, at) => {
    if (!objects.has(word)) return []
    const before = phrase.slice(0, at).findLastIndex((earlier) => !adjectives.has(earlier))
    const next = phrase[at + 1]
    return [
      ...(before >= 0 && colors.has(phrase[before]!) ? [phrase.slice(before, at + 1).join(' ')] : []),
      ...(next !== undefined && at + 2 === phrase.length && colors.has(next) ? [`${word} ${next}`] : []),
    ]
  })
}
