/** The same amount of reading on every side, in tokens. */
export interface Work {
  readonly state: number
  readonly questions: number
  /** Of each question, with all that frames it. */
  readonly question: number
}

/** A word that every vocabulary here has as one token; it brings texts to an exact length. */
const FILLER = ' the'

/** The longest beginning of `text` of at most `tokens` tokens, as `count` finds, filled up to exactly that many. */
export async function fitText(text: string, tokens: number, count: (text: string) => Promise<number>): Promise<string> {
  let least = 0
  let most = text.length
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    if ((await count(text.slice(0, middle))) <= tokens) least = middle
    else most = middle - 1
  }
  // Cutting inside a word can give more tokens than the whole word has, so a few lengths are tried.
  for (let length = least; length > least - 64; length--) {
    const start = text.slice(0, length).trimEnd()
    const missing = tokens - (await count(start))
    if (missing < 0) continue
    const filled = start + FILLER.repeat(missing)
    if ((await count(filled)) === tokens) return filled
  }
  throw new Error(`expected a text that can be filled up to ${tokens} tokens`)
}
