import type { Question } from '../../schemas/index.ts'
import type { Branch } from '../branch.ts'
import { JOIN, TRUNK } from '../branch.ts'
import { asText, optionTexts } from '../render-text.ts'
import type { Tokenizer } from '../tokenizer/tokenizer.ts'
import type { Template } from './template.ts'

/**
 * Template `branch-1`, for models with a pointer readout:
 *
 *     <state> text | <noul|choice|score> instructions | <option> text </option> … | <decide>
 *
 * Options start at the same position and see the state, the instructions and themselves, so their order cannot matter; the
 * decide token, placed after the longest option, sees all of them. `rows` is the decide token, then each `</option>`.
 */
export function createBranchTemplate(tokenizer: Tokenizer): Template {
  const open = tokenizer.structural('<option>')
  const close = tokenizer.structural('</option>')
  const decide = tokenizer.structural('<decide>')
  const kinds = {
    noul: tokenizer.structural('<noul>'),
    choice: tokenizer.structural('<choice>'),
    score: tokenizer.structural('<score>'),
  }

  function question(asked: Question, most: number): [Branch] {
    const ids = [kinds[asked.type], ...tokenizer.encode(asText(asked.instructions), most)]
    const base = ids.length
    const offsets = ids.map((_, index) => index)
    const parts = ids.map(() => TRUNK)
    const ends: number[] = []
    let longest = 0
    for (const [index, text] of optionTexts(asked).entries()) {
      if (ids.length > most) break
      const option = [open, ...tokenizer.encode(text, most), close]
      for (const [place, id] of option.entries()) {
        ids.push(id)
        offsets.push(base + place)
        parts.push(index + 1)
      }
      ends.push(ids.length - 1)
      longest = Math.max(longest, option.length)
    }
    ids.push(decide)
    offsets.push(base + longest)
    parts.push(JOIN)
    return [{ ids, offsets, parts, rows: [ids.length - 1, ...ends] }]
  }

  const opening = [tokenizer.structural('<state>')]
  return {
    opening,
    closing: [],
    mostOptions: Number.POSITIVE_INFINITY,
    state: (state) => ({ opening, ids: tokenizer.encode(asText(state)) }),
    question,
  }
}
