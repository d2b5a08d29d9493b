import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEngine, type Engine } from '../src/engine/index.ts'
import { createServer, type Server } from '../src/http/index.ts'
import { fixtureFolder } from './helpers/language-model-fixture.ts'

const SMALL = fixtureFolder('opendecider-small')
const ADAPTER = fixtureFolder('opendecider-small-lora')

let engine: Engine
let server: Server
beforeAll(async () => {
  const models = { 'decide-latest': SMALL, adapted: SMALL }
  engine = await createEngine({ backend: 'cpu', threads: 1, models, loras: { adapted: [{ path: ADAPTER }] } })
  server = createServer({ engine })
})
afterAll(async () => {
  await server.close()
  await engine.dispose()
})

async function decide(fields: object) {
  const body = {
    state: 'I was charged twice for order 1182.',
    questions: { q: { type: 'choice', instructions: 'Which team?', criteria: { billing: 'charges', tech: null } } },
    ...fields,
  }
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await server.fetch(new Request('http://localhost/v1/systemone', init))
  expect(response.status).toBe(200)
  return (await response.json()) as { answers: { q: { probabilities: { billing: number } } }; warnings?: object[] }
}

it('a service gives a name of a model its adapters, and reads no path of a request', async () => {
  const own = await decide({})
  const adapted = await decide({ model: 'adapted' })
  expect(adapted.answers.q.probabilities.billing).not.toBe(own.answers.q.probabilities.billing)
  const { answers } = await engine.decide(
    {
      state: 'I was charged twice for order 1182.',
      questions: { q: { type: 'choice', instructions: 'Which team?', criteria: { billing: 'charges', tech: null } } },
    },
    { lora: [{ path: ADAPTER }] },
  )
  expect(adapted.answers.q.probabilities.billing).toBe(answers.q.probabilities.billing)
  const tried = await decide({ lora: [{ path: ADAPTER }], options: { lora: [{ path: ADAPTER }] } })
  expect(tried.answers).toEqual(own.answers)
  const stolen = await decide({ model: ADAPTER })
  expect(stolen.answers).toEqual(own.answers)
})
