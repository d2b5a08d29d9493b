import { createOpenAI } from '@ai-sdk/openai'
import { APICallError, experimental_decide as decide } from 'ai'
import { describe, expect, it } from 'vitest'
import { startTinyServer } from '../helpers/tiny-server.ts'

const tiny = await startTinyServer({ keys: ['right'] })

const modelOf = (apiKey = 'right') => createOpenAI({ baseURL: `${tiny.url}/v1`, apiKey }).decisionModel('decide-latest')

describe('ai', () => {
  it('decides on a text, a record and parts, and accepts every answer', async () => {
    for (const state of [
      'Charged twice',
      { order: 7, lines: [1, null] },
      [
        { type: 'text' as const, text: 'Charged twice' },
        { type: 'json' as const, value: { order: 7 } },
      ],
    ]) {
      const { answers, usage } = await decide({
        model: modelOf(),
        state,
        questions: {
          urgent: { type: 'boolean', instructions: 'Is it urgent?', criteria: { true: 'today' } },
          'team 🎯': {
            type: 'choice',
            instructions: { task: 'Who?' },
            criteria: { billing: 'Money', tech: null, other: { is: 'any' } },
          },
          anger: { type: 'score', instructions: 'How angry?', criteria: ['calm', 'cross', { is: 'mad' }] },
        },
      })
      expect(answers.urgent.probability).toBeGreaterThanOrEqual(0)
      expect(Object.keys(answers['team 🎯'].probabilities ?? {})).toEqual(['billing', 'tech', 'other'])
      expect(answers.anger.score).toBeLessThanOrEqual(2)
      expect(usage.inputTokens).toBeGreaterThan(0)
    }
  })

  it('accepts distributions over 2 to 26 options and 2 to 10 levels, unrounded', async () => {
    for (const count of [2, 3, 7, 26]) {
      const names = Array.from({ length: count }, (_, index) => `option ${index}`)
      const { answers } = await decide({
        model: modelOf(),
        state: 'x',
        questions: {
          a: {
            type: 'choice',
            instructions: 'Which?',
            criteria: Object.fromEntries(names.map((name) => [name, null])),
          },
          b: { type: 'score', instructions: 'How much?', criteria: names.slice(0, 10) },
        },
      })
      expect(Object.keys(answers.a.probabilities ?? {})).toHaveLength(count)
    }
  })

  it('shows our errors with their message and status, and retries none of these', async () => {
    const questions = { q: { type: 'boolean', instructions: 'Yes?' } } as const
    const unknown = await decide({ model: modelOf('wrong'), state: 'x', questions }).catch((thrown: unknown) => thrown)
    expect(APICallError.isInstance(unknown) && [unknown.statusCode, unknown.isRetryable]).toEqual([401, false])
    const long = await decide({ model: modelOf(), state: 'x'.repeat(200_001), questions }).catch(
      (thrown: unknown) => thrown,
    )
    expect(long).toMatchObject({ statusCode: 422, message: 'input: must be at most 200,000 characters, got 200,001' })
  })
})
