import type { TemplateTokenizer } from '../tokenizer/tokenizer.ts'
import type { AnswerSymbols } from './answer-symbols.ts'
import { BLANK, type ChatFormat } from './chat-format.ts'
import { CHAT_1, type ChatWording, GIVEN, type Order, REVERSED } from './chat-wording.ts'
import type { Branch, Template } from './template.ts'

export interface ChatAsking {
  readonly symbols: AnswerSymbols
  /** @defaultValue that of template `chat-1` */
  readonly wording?: ChatWording
  /** Whether every question is asked a second time, its options from the last to the first. @defaultValue false */
  readonly bothOrders?: boolean | undefined
}

/** A word such as questions begin with, which tells how the blank line before it is cut into tokens. */
const PROBE = 'Answer'

/**
 * Wraps state and question in the checkpoint's own chat template. The state and a blank line sit at the front of the user
 * turn; a question ends the turn and opens the answer, and the single row read is the one that predicts the answer's symbol.
 */
export function createChatTemplate(
  tokenizer: TemplateTokenizer,
  { begin = '', before, after }: ChatFormat,
  { symbols, wording = CHAT_1, bothOrders = false }: ChatAsking,
): Template {
  const probe = tokenizer.encodeBehind(PROBE)
  // What follows a question before the next structural token may share a token with its end.
  const plain = tokenizer.plainEnds(after).leading
  const answer = tokenizer.encodeTemplate(after.slice(plain.length))
  // So may what stands before a state and its beginning, where that is a line end.
  const lead = tokenizer.plainEnds(before).trailing
  const head = before.slice(0, before.length - lead.length)
  const fixed = [...tokenizer.encodeTemplate(begin), ...tokenizer.encodeTemplate(head)]
  const encode = head === '' ? tokenizer.encode : tokenizer.encodeBehindToken
  const opening = [...fixed, ...encode(lead)]
  const encodeState = (text: string) => encode(`${text}${BLANK}${PROBE}`).slice(0, -probe.length)
  return {
    mostOptions: symbols.mostOptions,
    opening,
    closing: tokenizer.encodeBehind(`${BLANK}${PROBE}`).slice(0, -probe.length),
    state(state) {
      const all = [...fixed, ...encodeState(`${lead}${wording.state(state)}`)]
      const changed = opening.findIndex((id, index) => id !== all[index])
      const length = changed < 0 ? opening.length : changed
      return { opening: all.slice(0, length), ids: all.slice(length) }
    },
    question(question, most) {
      const ask = (order: Order): Branch => {
        const text = `${wording.question(question, symbols.of(question), order)}${plain}`
        return { ids: [...tokenizer.encodeBehind(text, most), ...answer, ...symbols.lead(question)] }
      }
      if (!bothOrders) return [ask(GIVEN)]
      return [ask(GIVEN), { ...ask(REVERSED), turned: wording.turns(question) }]
    },
  }
}
