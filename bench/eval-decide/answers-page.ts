import { optionNames } from '../../src/evaluate/labelled-rows.ts'
import { isRight, winnerOf } from '../../src/evaluate/outcome.ts'
import type { Question } from '../../src/schemas/index.ts'
import type { Answered } from './answer-rows.ts'

const COUNT = 20
const SEED = 20_26
/** Longer texts are cut where they are shown. */
const SHOWN = 500

/**
 * A page of twenty questions with what the model answered, right and wrong. They are drawn by a fixed seed before anything is
 * answered, so nobody picked them; another model gets the same twenty.
 */
export function answersPage(answered: readonly Answered[], model: string): string {
  const drawn = draw(answered.length).map((index) => answered[index]!)
  const right = drawn.filter(isRight).length
  return `# Twenty answers of ${model}

Drawn by a fixed seed among the ${answered.length} everyday questions and probes that come with the source (\`npm run eval:decide -- --answers\`), not picked: ${right} are right.
Texts of the probes are from BANKING77 (CC BY 4.0, PolyAI), CLINC150 (CC BY 3.0, Larson et al.), the NLU evaluation data of Liu et al. (CC BY 4.0), BoolQ (CC BY-SA 3.0, Clark et al.)
and the SMS Spam Collection (CC BY 4.0, Almeida and Hidalgo); long ones are cut here, not for the model.

${drawn.map(section).join('\n')}`
}

/** Numbers below `length`, in the order of a generator of Lehmer's kind. */
function draw(length: number): number[] {
  const found = new Set<number>()
  let state = SEED
  while (found.size < Math.min(COUNT, length)) {
    state = (state * 48_271) % 2_147_483_647
    found.add(state % length)
  }
  return [...found]
}

function section(one: Answered, index: number): string {
  const { question, probabilities, gold, request } = one
  const names = optionTexts(question)
  const order = probabilities.map((_, option) => option).toSorted((a, b) => probabilities[b]! - probabilities[a]!)
  const state = typeof request.state === 'string' ? request.state : JSON.stringify(request.state)
  const lines = order.slice(0, 5).map((option) => `${(probabilities[option]! * 100).toFixed(0)} % ${names[option]}`)
  const left = order.length > 5 ? `, and ${order.length - 5} less likely` : ''
  const answer = isRight(one)
    ? `**Right:** ${names[gold]}`
    : `**Wrong:** ${names[winnerOf(probabilities)]}; right is ${names[gold]}`
  return `## ${index + 1}. ${one.source.replace('probe: ', '')}

${quoted(state.length > SHOWN ? `${state.slice(0, SHOWN)} …` : state)}

${escaped(String(question.instructions ?? ''))}

${answer}

${lines.join(', ')}${left}
`
}

function optionTexts(question: Question): string[] {
  if (question.type === 'score') return question.criteria.map((level) => escaped(String(level)))
  return optionNames(question).map(escaped)
}

function quoted(text: string): string {
  return text
    .split('\n')
    .map((line) => `> ${escaped(line)}`)
    .join('\n')
}

/** Text of strangers, so that none of it is read as markup. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|]/g, String.raw`\$&`)
}
