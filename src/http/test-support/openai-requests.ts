/** Questions of each kind, as OpenAI's clients send them. */
export const predicate = { type: 'predicate', instructions: 'Is it urgent?' }
export const choice = {
  type: 'choice',
  name: 'team',
  instructions: 'Who?',
  choices: [{ value: 'billing' }, { value: 'tech', description: 'Bugs' }],
}
export const score = {
  type: 'score',
  name: 'anger',
  instructions: 'How angry?',
  levels: [{ label: 'calm' }, { label: 'cross', description: 'furious' }],
}

export const ask = (...questions: unknown[]) => ({ model: 'decide-latest', input: 'x', questions })
export const user = (content: unknown) => ({ role: 'user', content })
