import type { Question } from '../../schemas/index.ts'
import type { Branch } from '../branch.ts'
import { TRUNK } from '../branch.ts'
import { asText, optionTexts } from '../render-text.ts'
import type { TemplateTokenizer } from '../tokenizer/tokenizer.ts'
import { BLANK, type ChatFormat } from './chat-format.ts'
import type { Template } from './template.ts'

const ASK = {
  noul: 'Answer with yes or no.',
  choice: 'Answer with the letter of one option.',
  score: 'Answer with the number of one level.',
} as const

/** Options of a choice are A to Z. */
export const LETTERS = 26

/** Letter (choice) or digit (score) that stands for option `index`. */
export function optionSymbol(type: 'choice' | 'score', index: number): string {
  return type === 'choice' ? String.fromCharCode(65 + index) : String(index)
}

function questionText(question: Question): string {
  const instructions = asText(question.instructions)
  const heading = instructions === '' ? '' : `Question: ${instructions}\n`
  if (question.type === 'noul') {
    const { criteria } = question
    const sides = [criteria?.true, criteria?.false].map(asText)
    const meaning = [sides[0] && `yes: ${sides[0]}\n`, sides[1] && `no: ${sides[1]}\n`].join('')
    return `${heading}${meaning}${ASK.noul}`
  }
  const { type } = question
  const options = type === 'choice' ? optionTexts(question) : question.criteria.map(asText)
  const lines = options.map((text, index) => `${optionSymbol(type, index)}. ${text}\n`)
  return `${heading}${lines.join('')}${ASK[type]}`
}

/** A word such as questions begin with, which tells how the blank line before it is cut into tokens. */
const PROBE = 'Answer'

/**
 * Template `chat-1`, for chat models, in the checkpoint's own chat template. The state and a blank line sit at the front of
 * the user turn; a question ends the turn and opens the answer, and the single row read is the one that predicts the
 * answer's first token.
 */
export function createChatTemplate(tokenizer: TemplateTokenizer, { before, after }: ChatFormat): Template {
  const probe = tokenizer.encode(PROBE)
  // What follows a question before the next structural token may share a token with its end.
  const plain = tokenizer.leadingText(after)
  const answer = tokenizer.encodeTemplate(after.slice(plain.length))
  const encodeState = (text: string) => tokenizer.encode(`${text}${BLANK}${PROBE}`).slice(0, -probe.length)
  return {
    mostOptions: LETTERS,
    opening: tokenizer.encodeTemplate(before),
    closing: encodeState(''),
    state: encodeState,
    question(question, most): Branch {
      const ids = [...tokenizer.encode(`${questionText(question)}${plain}`, most), ...answer]
      return { ids, offsets: ids.map((_, index) => index), parts: ids.map(() => TRUNK), rows: [ids.length - 1] }
    },
  }
}
