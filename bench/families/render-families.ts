import { ms, table, times } from '../report/markdown.ts'
import type { Family } from './results.ts'

export function renderFamilies(families: readonly Family[]): string {
  const sharing = families.flatMap(sharingRow)
  return [
    `Random weights in the shapes that published models have, each in a process of its own: nothing is said about answers. Times are those of
the processor, with one thread. "Open" and "in use" are the process's own memory, "in all" has what it touched of mapped files, too. A text is
one question on a longer state.`,
    table(
      ['shape of', 'weights', 'parameters', 'files', 'open', 'in use', 'in all', 'a text', 'tokens/s'],
      families.map(modelRow),
    ),
    ...(sharing.length === 0
      ? []
      : [
          'Statements about a message of two sentences, in one call and in a call each:',
          table(['shape of', 'questions', 'one call', 'a call each', 'faster'], sharing),
        ]),
  ].join('\n\n')
}

function modelRow({ name, weights, parameters, tokens, read, ...memory }: Family): string[] {
  const mib = [memory.file_mib, memory.open_mib, memory.busy_mib, memory.resident_mib].map(
    (of) => `${of.toFixed(0)} MiB`,
  )
  const rate = ((1000 * tokens) / read.median).toFixed(0)
  return [name, weights, `${(parameters / 1e6).toFixed(0)}M`, ...mib, `${tokens} tokens, ${ms(read)}`, rate]
}

function sharingRow({ name, sharing }: Family): string[][] {
  if (sharing === undefined) return []
  const { questions, together, separate } = sharing
  return [[name, String(questions), ms(together), ms(separate), `**${times(separate.median / together.median)}**`]]
}
