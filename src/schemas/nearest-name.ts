import { distance } from 'fastest-levenshtein'

/** The known name that a misspelt one may have meant, whatever its case and separators; undefined when none is near. */
export function nearestName(given: string, known: readonly string[]): string | undefined {
  const plain = (name: string) => name.toLowerCase().replaceAll(/[-_\s]/g, '')
  const wanted = plain(given)
  const ranked = known.map((name) => ({ name, edits: distance(wanted, plain(name)) }))
  const best = ranked.sort((a, b) => a.edits - b.edits)[0]
  // A third of the letters, so that no short name is near to every other.
  return best && best.edits <= Math.floor(Math.max(wanted.length, best.name.length) / 3) ? best.name : undefined
}
