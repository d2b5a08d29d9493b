import { readFile } from 'node:fs/promises'
import type { DecisionRequestInput } from '../../src/schemas/index.ts'
import { QUESTIONS } from './questions.ts'

/** The questions on the longest beginning of the LICENSE file of this repository that has at most `tokens` tokens. */
export async function makeRequest(
  tokens: number,
  count: (request: DecisionRequestInput) => Promise<{ state: number }>,
): Promise<DecisionRequestInput> {
  const text = await readFile('LICENSE', 'utf8')
  let least = 0
  let most = text.length
  while (least < most) {
    const middle = Math.ceil((least + most) / 2)
    const { state } = await count({ state: text.slice(0, middle), questions: QUESTIONS })
    if (state <= tokens) least = middle
    else most = middle - 1
  }
  return { state: text.slice(0, least), questions: QUESTIONS }
}

/** The same questions, each in a request of its own. */
export function splitRequest({ state, questions }: DecisionRequestInput): DecisionRequestInput[] {
  return Object.entries(questions).map(([name, question]) => ({ state, questions: { [name]: question } }))
}
