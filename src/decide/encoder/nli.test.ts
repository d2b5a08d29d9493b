import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { type Backend, createCpuBackend } from '../../backends/index.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { type Decider, openDecider } from '../index.ts'

const context = { turn: async () => {} }
let backend: Backend
let decider: Decider | undefined
beforeAll(async () => {
  backend = await createCpuBackend({ threads: 1 })
})
afterEach(async () => {
  await decider?.dispose()
  decider = undefined
})
afterAll(() => backend.dispose())

async function open(name: string): Promise<Decider> {
  decider = await openDecider({ backend, files: openFolder(fixtureFolder(name)) })
  return decider
}

function ask(question: unknown) {
  return parseDecisionRequest({ state: 'a card', questions: { q: question } })
}

describe.each(['nli-bert', 'nli-modernbert'])('%s', (name) => {
  it.each(['billing $$', '$& tech', "$` or $' of $1"])('reads %s in a template as it is written', async (option) => {
    const model = await open(name)
    const choice = { type: 'choice', instructions: 'It is {}, {}.', criteria: { a: option, b: 'tech' } }
    const statement = { type: 'noul', instructions: `It is ${option}, ${option}.` }
    const [[read] = []] = await model.logits(ask(choice), context)
    const [[wanted] = []] = await model.logits(ask(statement), context)
    expect(read![0]).toBeCloseTo(wanted![0]!, 4)
  })

  it('refuses a template of many places and a long option before it joins them', async () => {
    const model = await open(name)
    const [instructions, long] = ['{}'.repeat(2000), 'a '.repeat(100_000)]
    const questions = [
      { type: 'choice', instructions, criteria: { a: long, b: null } },
      { type: 'noul', instructions, criteria: { false: long } },
    ]
    for (const question of questions) {
      await expect(model.decide(ask(question), context)).rejects.toMatchObject({
        code: 'invalid_request',
        path: 'questions.q',
        reason: 'its text has 2000 places ({}) for an option of 200000 characters, and may repeat 200000 of them',
      })
    }
  })
})
