import { ModelFormatError } from '../../errors/index.ts'
import type { ChatTemplate } from '../../models/chat-template.ts'
import { CHAT_1, type ChatWording } from './chat-wording.ts'

/** Stand for state and question while a conversation is rendered; of private use, so that no template has them. */
const STATE = '\u{e000}state\u{e001}'
const QUESTION = '\u{e000}question\u{e001}'

/** What stands around state and question in a conversation of one turn. */
export interface ChatFormat {
  /** The token before the prompt that is no part of its text, which begins behind it. @defaultValue none */
  readonly begin?: string
  /** Before the state. */
  readonly before: string
  /** Behind the question: the end of the turn and the beginning of the answer, which is not thought. */
  readonly after: string
}

/** A blank line, which parts the state from a question. */
export const BLANK = '\n\n'

/** Qwen3's own, thinking off, of template `chat-1`, for checkpoints without one. */
const CHATML: ChatFormat = {
  before: `<|im_start|>system\n${CHAT_1.system}<|im_end|>\n<|im_start|>user\n${CHAT_1.lead}`,
  after: '<|im_end|>\n<|im_start|>assistant\n<think>\n\n</think>\n\n',
}

/**
 * @param begin the token before a prompt that no template writes, where there is one
 * @throws ModelFormatError where the template cannot render such a conversation, or opens every answer with thought
 */
export function readChatFormat(
  template: ChatTemplate | undefined,
  wording: ChatWording = CHAT_1,
  begin = '',
): ChatFormat {
  if (template === undefined) return { ...CHATML, begin }
  const rendered = renderTurn(template, wording)
  const [before, behind, ...more] = rendered.split(STATE)
  const [between, after, ...others] = behind?.split(QUESTION) ?? []
  if (before === undefined || between !== BLANK || after === undefined || more.length + others.length > 0) {
    throw new ModelFormatError(template.file, 'a chat template that renders a turn as it is', 'one that changes it')
  }
  if (after.lastIndexOf('<think>') > after.lastIndexOf('</think>')) {
    const expected = 'a chat template whose answers may begin without thought (enable_thinking)'
    throw new ModelFormatError(template.file, expected, 'one that always opens <think>')
  }
  return { before, after }
}

/** Templates that know no system turn, by an error or by leaving it out, get its text at the front of the user's. */
function renderTurn(template: ChatTemplate, { system: told, lead }: ChatWording): string {
  const turn = `${lead}${STATE}${BLANK}${QUESTION}`
  const user = { role: 'user', content: turn } as const
  const system = { role: 'system', content: told } as const
  try {
    const rendered = template.render([system, user], false)
    if (rendered.includes(told)) return rendered
  } catch (error) {
    if (!(error instanceof ModelFormatError)) throw error
  }
  return template.render([{ role: 'user', content: `${told}${BLANK}${turn}` }], false)
}
