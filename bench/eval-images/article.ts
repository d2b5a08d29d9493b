/** The words with `a` or `an` before them. */
export function article(words: string): string {
  return `${/^[aeiou]/.test(words) ? 'an' : 'a'} ${words}`
}
