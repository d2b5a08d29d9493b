/** What is drawn as letters stands in quotes. */
const QUOTED = /"[^"]*"|“[^”]*”/gu

/** A prompt in lower case, without the letters that it asks for. */
export function spokenText(prompt: string): string {
  return prompt.replaceAll(QUOTED, ' ').toLowerCase()
}

/** Its words, or those of a part of it, in their order. */
export function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? []
}

/** Letters of a prompt that a warning names in a row: writing without spaces has words as long as the prompt. */
const MOST_LETTERS = 30

/** Words as a warning names them. */
export function shorten(words: string): string {
  const letters = [...words]
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS).join('')}…` : words
}
