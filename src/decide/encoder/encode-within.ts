import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { Refuse } from './encoder-format.ts'

/**
 * Token ids of a text of a question, of which no more are made than show that it is too long: a body of long texts costs no more than its
 * first.
 *
 * @param most tokens that the model reads of question and state together
 */
export function encodeWithin(encode: Tokenizer['encode'], text: string, most: number, refuse: Refuse): number[] {
  const ids = encode(text, most)
  if (ids.length > most) refuse(`takes more than ${most} tokens, and this model has room for ${most} with the state`)
  return ids
}
