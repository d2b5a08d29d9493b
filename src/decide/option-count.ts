import type { Question } from '../schemas/index.ts'

/** The number of options of a question; a noul has yes and no. */
export function optionCount(question: Question): number {
  if (question.type === 'noul') return 2
  return question.type === 'choice' ? Object.keys(question.criteria).length : question.criteria.length
}
