/**
 * The rules of byte pairs that join to the token of highest score first, as SentencePiece does, for a vocabulary that has
 * scores and no rules: one for each way to part a token into two others.
 */
export function mergesByScore(
  vocabulary: Readonly<Record<string, number>>,
  scores: Float64Array,
): (readonly [string, string])[] {
  const rules: { readonly pair: readonly [string, string]; readonly score: number; readonly left: number }[] = []
  for (const token in vocabulary) {
    const score = scores[vocabulary[token]!]!
    for (const end of cuts(token)) {
      const pair = [token.slice(0, end), token.slice(end)] as const
      if (pair[0] in vocabulary && pair[1] in vocabulary) rules.push({ pair, score, left: end })
    }
  }
  // The longer left part first among equals: what the library does that makes such rules for transformers.
  return rules.sort((a, b) => b.score - a.score || b.left - a.left).map(({ pair }) => pair)
}

/** Places within a text that are between two characters. */
function cuts(text: string): number[] {
  const places: number[] = []
  for (let at = 1; at < text.length; at++) if (!isLowSurrogate(text.charCodeAt(at))) places.push(at)
  return places
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code <= 0xdfff
}
