import type { Warning } from '../../schemas/index.ts'
import { asksForLetters, spokenText, wordsOf } from './spoken-text.ts'

/**
 * Says that a picture is asked for of nothing that the model draws: it draws a background alone then.
 *
 * @param objects what it draws, by all names; undefined for a model that was trained on language at large
 */
export function findNothingNamed(prompt: string, objects: readonly string[] | undefined): Warning[] {
  if (objects === undefined || asksForLetters(prompt) || namesOne(wordsOf(spokenText(prompt)), objects)) return []
  return [
    {
      code: 'nothing_named',
      path: 'prompt',
      message:
        'prompt: names nothing that this small model draws, which leaves the background; its card (README.md in its folder) lists what it draws',
    },
  ]
}

/** Names may be of several words. */
function namesOne(words: readonly string[], objects: readonly string[]): boolean {
  const text = ` ${words.join(' ')} `
  return objects.some((name) => text.includes(` ${name} `))
}
