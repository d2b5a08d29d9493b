import type { Warning } from '../../schemas/index.ts'
import { asksForLetters, spokenText, wordsOf } from './spoken-text.ts'

/**
 * Says that a picture is asked for of nothing that the model draws: it draws a background alone then.
 *
 * @param objects what it draws, by all names; undefined for a model that was trained on language at large
 */
export function findNothingNamed(prompt: string, objects: ReadonlySet<string> | undefined): Warning[] {
  if (objects === undefined || asksForLetters(prompt) || namesOne(wordsOf(spokenText(prompt)), objects)) return []
  return [
    {
      code: 'nothing_named',
      path: 'prompt',
      message:
        'prompt: names nothing that this small model draws, which leaves the background; its card lists what it draws',
    },
  ]
}

function namesOne(words: readonly string[], objects: ReadonlySet<string>): boolean {
  const longest = Math.max(...[...objects].map((name) => name.split(' ').length))
  return words.some((_, at) =>
    Array.from({ length: longest }, (_, more) => words.slice(at, at + more + 1).join(' ')).some((name) =>
      objects.has(name),
    ),
  )
}
