import type { Warning } from '../../schemas/index.ts'
import type { ImageManifest } from '../image-manifest.ts'
import { spokenText, wordsOf } from './spoken-text.ts'

/** How many things a model draws at once, and how a prompt says how many. */
export type Counts = NonNullable<ImageManifest['counts']>

/** Words of the longest name that is looked for. */
const LONGEST_NAME = 4

/**
 * Says that a prompt names more things than the model draws in one picture: it mixes them, or leaves some out.
 *
 * @param objects what it draws, by all names
 * @param counts undefined for a model that was trained on pictures of any number of things
 */
export function findTooManyObjects(
  prompt: string,
  objects: readonly string[] | undefined,
  counts: Counts | undefined,
): Warning[] {
  if (objects === undefined || counts === undefined) return []
  const named = countNamed(wordsOf(spokenText(prompt)), new Set(objects), counts)
  if (named <= counts.most) return []
  return [
    {
      code: 'many_objects',
      path: 'prompt',
      message: `prompt: names ${named} things, of which this small model draws at most ${counts.most} in a picture`,
    },
  ]
}

function countNamed(words: readonly string[], objects: ReadonlySet<string>, { numbers, between }: Counts): number {
  const told = new Set(between)
  let named = 0
  for (let at = 0; at < words.length; at++) {
    const length = nameLength(words, at, objects)
    if (length === 0) continue
    const before = words.slice(0, at).findLast((word) => !told.has(word))
    named += (before !== undefined && Object.hasOwn(numbers, before) && numbers[before]) || 1
    at += length - 1
  }
  return named
}

/** How many words from here on are a name, the longest that there is: a fire truck is no fire. */
function nameLength(words: readonly string[], at: number, objects: ReadonlySet<string>): number {
  for (let length = LONGEST_NAME; length > 0; length--) {
    if (objects.has(words.slice(at, at + length).join(' '))) return length
  }
  return 0
}
