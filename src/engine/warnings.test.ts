import { expect, it } from 'vitest'
import type { DecisionRequestInput } from '../schemas/index.ts'
import { QUESTIONS, startFakeEngine } from './test-support/engines.ts'

it('fields that nothing reads are warned of beside the answers and pictures', async () => {
  await using engine = await startFakeEngine({ worker: false })
  const question = { type: 'noul', instructions: 'x', min_confidance: 1 }
  const response = await engine.decide({ state: {}, questions: { q: question } } as DecisionRequestInput)
  expect(response.warnings).toMatchObject([{ code: 'unknown_field', path: 'questions.q.min_confidance' }])
  const request = { prompt: '{}', steps: 2 }
  const { warnings } = await engine.generateImage(request)
  expect(warnings).toMatchObject([{ path: 'steps' }])
  expect(await engine.decide({ state: {}, questions: QUESTIONS })).not.toHaveProperty('warnings')
})
