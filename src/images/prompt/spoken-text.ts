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
