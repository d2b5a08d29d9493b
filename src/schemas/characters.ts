/**
 * Counts Unicode code points, which is what "characters" means in every limit. A lone surrogate counts as one.
 *
 * @example
 * ```ts
 * countCharacters('naïve 🙂') // 7
 * ```
 */
export function countCharacters(text: string): number {
  let count = 0
  for (let index = 0; index < text.length; index++) {
    count++
    if (text.codePointAt(index)! > 0xffff) index++
  }
  return count
}

/** False when a surrogate stands alone: such a string is not Unicode text and has no UTF-8 form. */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
