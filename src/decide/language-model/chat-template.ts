import type { Question } from '../../schemas/index.ts'
import { lineBranch } from '../branch.ts'
import { asText, optionTexts } from '../render-text.ts'
import type { TemplateTokenizer } from '../tokenizer/tokenizer.ts'
import type { AnswerSymbols } from './answer-symbols.ts'
import { BLANK, type ChatFormat } from './chat-format.ts'
import type { Template } from './template.ts'

function questionText(question: Question, symbols: readonly string[], order: Order): string {
  const instructions = asText(question.instructions)
  const heading = instructions === '' ? '' : `Question: ${instructions}\n`
  if (question.type === 'noul') {
    const { criteria } = question
    const line = (name: string, meaning: string) => (meaning === '' ? '' : `${name}: ${meaning}\n`)
    const meanings = [line('yes', asText(criteria?.true)), line('no', asText(criteria?.false))]
    return `${heading}${order(meanings).join('')}Answer with ${order(['yes', 'no']).join(' or ')}.`
  }
  if (question.type === 'score') {
    // A level keeps its number, which says where it is on the scale.
    const lines = question.criteria.map((level, index) => `${symbols[index]}. ${asText(level)}\n`)
    return `${heading}${order(lines).join('')}Answer with the number of one level.`
  }
  const lines = order(optionTexts(question)).map((text, index) => `${symbols[index]}. ${text}\n`)
  return `${heading}${lines.join('')}Answer with the ${symbols[0]!.length > 1 ? 'letters' : 'letter'} of one option.`
}

/** The order that lines are shown in. */
type Order = (lines: readonly string[]) => readonly string[]
const ORDERS: readonly [Order, Order] = [(lines) => lines, (lines) => lines.toReversed()]

/** A word such as questions begin with, which tells how the blank line before it is cut into tokens. */
const PROBE = 'Answer'

/**
 * Template `chat-1`, for chat models, in the checkpoint's own chat template. The state and a blank line sit at the front of
 * the user turn; a question ends the turn and opens the answer, and the single row read is the one that predicts the
 * answer's first token.
 *
 * @param bothOrders whether every question is asked a second time, its options from the last to the first
 */
export function createChatTemplate(
  tokenizer: TemplateTokenizer,
  { before, after }: ChatFormat,
  symbols: AnswerSymbols,
  bothOrders = false,
): Template {
  const probe = tokenizer.encode(PROBE)
  // What follows a question before the next structural token may share a token with its end.
  const plain = tokenizer.plainEnds(after).leading
  const answer = tokenizer.encodeTemplate(after.slice(plain.length))
  // So may what stands before a state and its beginning, where that is a line end.
  const lead = tokenizer.plainEnds(before).trailing
  const fixed = tokenizer.encodeTemplate(before.slice(0, before.length - lead.length))
  const opening = [...fixed, ...tokenizer.encode(lead)]
  const encodeState = (text: string) => tokenizer.encode(`${text}${BLANK}${PROBE}`).slice(0, -probe.length)
  return {
    mostOptions: symbols.mostOptions,
    opening,
    closing: encodeState(''),
    state(text) {
      const all = [...fixed, ...encodeState(`${lead}${text}`)]
      const changed = opening.findIndex((id, index) => id !== all[index])
      const length = changed < 0 ? opening.length : changed
      return { opening: all.slice(0, length), ids: all.slice(length) }
    },
    question(question, most) {
      const ask = (order: Order) =>
        lineBranch([
          ...tokenizer.encode(`${questionText(question, symbols.of(question), order)}${plain}`, most),
          ...answer,
        ])
      const [given, reversed] = ORDERS
      if (!bothOrders) return [ask(given)]
      return [ask(given), { ...ask(reversed), turned: question.type === 'choice' }]
    },
  }
}
