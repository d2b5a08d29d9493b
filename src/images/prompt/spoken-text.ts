/** What is drawn as letters stands in quotes. */
const QUOTED = /"[^"]*"|“[^”]*”/gu

/** A prompt in lower case, without the letters that it asks for. */
export function spokenText(prompt: string): string {
  return prompt.replaceAll(QUOTED, ' ').toLowerCase()
}

/** The texts that it asks for, without their quotes. */
export function quotedTexts(prompt: string): string[] {
  return [...prompt.matchAll(QUOTED)].map(([quoted]) => quoted.slice(1, -1))
}

/** Whether it asks for letters. */
export function asksForLetters(prompt: string): boolean {
  return quotedTexts(prompt).some((text) => text.trim() !== '')
}

/** Its words and emoji, or those of a part of it, in their order; `the dog's hat` says dog and hat. */
export function wordsOf(text: string): string[] {
  return (
    text.replaceAll(/(?<=\p{L})['’]s(?![\p{L}\p{N}])/gu, '').match(/[\p{L}\p{N}]+|\p{Extended_Pictographic}/gu) ?? []
  )
}

/** Letters of a prompt that a warning names in a row: writing without spaces has words as long as the prompt. */
const MOST_LETTERS = 30

/** Words as a warning names them. */
export function shorten(words: string): string {
  const letters = [...words]
  return letters.length > MOST_LETTERS ? `${letters.slice(0, MOST_LETTERS).join('')}…` : words
}
