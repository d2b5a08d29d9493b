import type { Question } from '../../schemas/index.ts'
import type { Branch } from '../branch.ts'
import { TRUNK } from '../branch.ts'
import { asText, optionTexts } from '../render-text.ts'
import type { TemplateTokenizer } from '../tokenizer/tokenizer.ts'
import type { AnswerSymbols } from './answer-symbols.ts'
import { BLANK, type ChatFormat } from './chat-format.ts'
import type { Template } from './template.ts'

function questionText(question: Question, symbols: readonly string[]): string {
  const instructions = asText(question.instructions)
  const heading = instructions === '' ? '' : `Question: ${instructions}\n`
  if (question.type === 'noul') {
    const { criteria } = question
    const sides = [criteria?.true, criteria?.false].map(asText)
    const meaning = [sides[0] && `yes: ${sides[0]}\n`, sides[1] && `no: ${sides[1]}\n`].join('')
    return `${heading}${meaning}Answer with yes or no.`
  }
  const options = question.type === 'choice' ? optionTexts(question) : question.criteria.map(asText)
  const lines = options.map((text, index) => `${symbols[index]}. ${text}\n`)
  return `${heading}${lines.join('')}${ask(question, symbols)}`
}

function ask({ type }: Question, [first = '']: readonly string[]): string {
  if (type === 'score') return 'Answer with the number of one level.'
  return `Answer with the ${first.length > 1 ? 'letters' : 'letter'} of one option.`
}

/** A word such as questions begin with, which tells how the blank line before it is cut into tokens. */
const PROBE = 'Answer'

/**
 * Template `chat-1`, for chat models, in the checkpoint's own chat template. The state and a blank line sit at the front of
 * the user turn; a question ends the turn and opens the answer, and the single row read is the one that predicts the
 * answer's first token.
 */
export function createChatTemplate(
  tokenizer: TemplateTokenizer,
  { before, after }: ChatFormat,
  symbols: AnswerSymbols,
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
    question(question, most): Branch {
      const ids = [...tokenizer.encode(`${questionText(question, symbols.of(question))}${plain}`, most), ...answer]
      return { ids, offsets: ids.map((_, index) => index), parts: ids.map(() => TRUNK), rows: [ids.length - 1] }
    },
  }
}
