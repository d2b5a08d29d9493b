import { readFile } from 'node:fs/promises'
import type { Engine } from '../../src/engine/index.ts'
import type { DecisionRequestInput } from '../../src/schemas/index.ts'
import type { DecisionContext } from './llama-side.ts'
import { fitText, type Work } from './work.ts'

type LlamaRequest = Parameters<DecisionContext['decideWithMeta']>

/** Yes-or-no questions on parts of the LICENSE file, as many tokens each as `work` says in this library's rendering. */
export async function fitRequest(engine: Engine, work: Work): Promise<DecisionRequestInput> {
  const source = await readSource()
  const ask = (instructions: string) => ({ type: 'noul' as const, instructions })
  const countQuestion = async (text: string) => {
    const { questions } = await engine.countTokens({ state: '', questions: { q: ask(text) } })
    return questions['q'] as number
  }
  const questions: Record<string, ReturnType<typeof ask>> = {}
  for (let i = 0; i < work.questions; i++) {
    questions[`q${i}`] = ask(await fitText(quote(source, i), work.question, countQuestion))
  }
  const countState = async (state: string) => (await engine.countTokens({ state, questions })).state
  return { state: await fitText(source, work.state, countState), questions }
}

/**
 * The same for node-llama-cpp's own rendering, counted by what it says to have read. Every call of the result gives
 * another text of the same length: the package keeps the state of the call before and would read nothing of the same.
 */
export async function fitLlamaRequest(
  context: DecisionContext,
  tokenize: (text: string) => number[],
  work: Work,
): Promise<() => Promise<LlamaRequest>> {
  const source = await readSource()
  const ask = (instruction: string) => ({ type: 'noul' as const, instruction })
  const used = async (document: string, questions: LlamaRequest[1]) =>
    (await context.decideWithMeta(document, questions)).tokenUsage.input
  const two = { a: ask('One?'), b: ask('Two?') }
  const before = await used('x', two)
  const framing = (await used('y', { ...two, c: ask('Three?') })) - before - tokenize('Three?').length
  const countQuestion = async (text: string) => framing + tokenize(text).length
  const prefix = before - (await countQuestion('One?')) - (await countQuestion('Two?')) - tokenize('x').length
  const questions: LlamaRequest[1] = {}
  for (let i = 0; i < work.questions; i++) {
    questions[`q${i}`] = ask(await fitText(quote(source, i), work.question, countQuestion))
  }
  let calls = 0
  return async () => {
    const text = source.slice(97 * calls++)
    return [await fitText(text, work.state, async (part) => prefix + tokenize(part).length), questions]
  }
}

async function readSource(): Promise<string> {
  return (await readFile('LICENSE', 'utf8')).replace(/\s+/g, ' ').repeat(8)
}

function quote(source: string, index: number): string {
  return `${source.slice(200 * index, 200 * index + 400)}: does it say so?`
}
