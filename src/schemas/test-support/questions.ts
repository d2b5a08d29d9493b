export const noul = { type: 'noul', instructions: 'Is it urgent?' }
export const choice = { type: 'choice', instructions: 'Who?', criteria: { billing: 'Payments', tech: null } }
export const score = { type: 'score', instructions: 'How angry?', criteria: ['calm', 'annoyed', 'furious'] }
export const ask = (question: unknown) => ({ state: 'x', questions: { q: question } })
export const named = (count: number, value: unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, value]))
export const times = <T>(count: number, value: T) => Array.from({ length: count }, () => value)
