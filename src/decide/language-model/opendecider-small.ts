import type { State } from '../../schemas/index.ts'
import { openDeciderOptions } from '../opendecider-options.ts'
import { spacedText } from '../spaced-json.ts'
import type { ChatWording } from './chat-wording.ts'

/** What opendecider-small and its kin were trained on: every question is a list of options with letters. */
export const OPENDECIDER_SMALL: ChatWording = {
  system: 'You make one decision for a software system.',
  lead: 'Input:\n',
  state: (state: State) => (typeof state === 'string' ? state : JSON.stringify(state, null, 1)),
  question(question, letters, order) {
    const lines = order(openDeciderOptions(question)).map((text, index) => `${letters[index]}) ${text}\n`)
    const asked = `Question: ${spacedText(question.instructions ?? '')}\n\nOptions:\n${lines.join('')}`
    return `${asked}\nAnswer with the letter of the correct option only.`
  },
  turns: () => true,
}
