/** Words no longer than this are remembered. */
const LONGEST = 64

/** An encoder of words that remembers the ids of short ones until `forget`. */
export function rememberWords(encode: (word: string) => readonly number[]) {
  const remembered = new Map<string, readonly number[]>()
  return {
    encodeWord(word: string): readonly number[] {
      const known = remembered.get(word)
      if (known !== undefined) return known
      const ids = encode(word)
      if (word.length <= LONGEST) remembered.set(word, ids)
      return ids
    },
    forget: () => remembered.clear(),
  }
}
