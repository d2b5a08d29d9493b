import type { Question } from '../schemas/index.ts'

/** How many options a question has; of a noul yes and no. */
export function optionCount(question: Question): number {
  if (question.type === 'noul') return 2
  return question.type === 'choice' ? Object.keys(question.criteria).length : question.criteria.length
}
