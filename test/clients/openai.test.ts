import OpenAI, { AuthenticationError, NotFoundError, RateLimitError, UnprocessableEntityError } from 'openai'
import { DecisionsToolRunner } from 'openai/helpers/decisions-tool-runner'
import type { DecisionCreateParams } from 'openai/resources/decisions'
import { describe, expect, it } from 'vitest'
import { createServer } from '../../src/http/index.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { InternalError } from '../../src/index.ts'
import { startTinyServer } from '../helpers/tiny-server.ts'

const tiny = await startTinyServer({ keys: ['right'] })
const client = new OpenAI({ baseURL: `${tiny.url}/v1`, apiKey: 'right', logLevel: 'off' })

const model = 'decide-latest'
const predicate = { type: 'predicate', instructions: 'Is it urgent?' } as const

describe('openai', () => {
  it('asks all types of questions, and reads the answers', async () => {
    const decision = await client.decisions.create({
      model,
      input: [
        { role: 'developer', content: 'Tickets of a shop' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Charged twice' },
            { type: 'input_json', data: { order: 7 } },
          ],
        },
      ],
      questions: [
        predicate,
        {
          type: 'choice',
          name: 'refund',
          instructions: 'Refund?',
          choices: [{ value: true }, { value: false }, { value: 'true' }],
        },
        {
          type: 'score',
          name: 'anger',
          instructions: 'How angry?',
          levels: [{ label: 'calm' }, { label: 'furious', description: 'loud' }],
        },
      ],
      prompt_cache_key: 'x',
      safety_identifier: null,
    })
    expect(decision.model).toBe('tiny')
    const [urgent, refund, anger] = decision.answers
    expect(urgent).toEqual({ type: 'predicate', name: null, probability: expect.any(Number) })
    expect(refund).toMatchObject({ type: 'choice', name: 'refund' })
    if (refund?.type === 'choice') {
      expect(refund.probabilities.map(({ value }) => value)).toEqual([true, false, 'true'])
      const best = Math.max(...refund.probabilities.map(({ probability }) => probability))
      expect(refund.probabilities.find(({ value }) => value === refund.choice)?.probability).toBe(best)
    }
    expect(anger).toMatchObject({
      type: 'score',
      probabilities: [
        { value: 0, label: 'calm' },
        { value: 1, label: 'furious' },
      ],
    })
    const { usage } = decision
    expect(usage).toEqual({
      input_tokens: expect.any(Number),
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: usage.input_tokens,
    })
  })

  it('D26: gets the probabilities that the other wire gives', async () => {
    const { answers } = await client.decisions.create({
      model,
      input: 'Charged twice',
      questions: [
        predicate,
        {
          type: 'choice',
          instructions: 'Who?',
          choices: [{ value: 'billing', description: 'Money' }, { value: 'tech' }],
        },
        {
          type: 'score',
          instructions: 'How?',
          levels: [{ label: 'calm' }, { label: 'cross' }, { label: 'mad', description: 'loud' }],
        },
      ],
    })
    const response = await fetch(`${tiny.url}/v1/systemone`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer right' },
      body: JSON.stringify({
        state: 'Charged twice',
        questions: {
          a: { type: 'noul', instructions: 'Is it urgent?' },
          b: { type: 'choice', instructions: 'Who?', criteria: { billing: 'Money', tech: null } },
          c: { type: 'score', instructions: 'How?', criteria: ['calm', 'cross', 'mad: loud'] },
        },
      }),
    })
    const { a, b, c } = (
      (await response.json()) as { answers: Record<string, { noul: number; probabilities: Record<string, number> }> }
    ).answers
    expect(answers).toMatchObject([
      { probability: a!.noul },
      { probabilities: Object.entries(b!.probabilities).map(([value, probability]) => ({ value, probability })) },
      { probabilities: Object.values(c!.probabilities).map((probability, value) => ({ value, probability })) },
    ])
  })

  it('S92: lists the models', async () => {
    const { data } = await client.models.list()
    const ids = data.map(({ id, object }) => `${object} ${id}`)
    expect(ids).toEqual(expect.arrayContaining(['model decide-latest', 'model jev-latest']))
  })

  it('asks for one model', async () => {
    expect(await client.models.retrieve('jev-latest')).toMatchObject({ id: 'jev-latest', object: 'model' })
    await expect(client.models.retrieve('owner/name')).rejects.toThrow(NotFoundError)
  })

  it('says the code of an error of the list, and where nothing is', async () => {
    const stranger = new OpenAI({ baseURL: `${tiny.url}/v1`, apiKey: 'wrong', logLevel: 'off' })
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, code: 'authentication_error' })
    const absent = client.embeddings.create({ model, input: 'x' })
    await expect(absent).rejects.toMatchObject({ status: 404, code: 'not_found' })
  })

  it('runs its own tool runner, which checks every number of the usage', async () => {
    let steps = 0
    const runner = new DecisionsToolRunner({
      observe: () => `${steps} steps so far`,
      candidates: () => [
        { id: 'stop', description: 'Nothing is left to do', done: true as const },
        ...(steps === 0 ? [{ id: 'step', description: 'Take a step', execute: () => void steps++ }] : []),
      ],
      verify: () => true,
    })
    const { status, decisions } = await runner.run(client, { model, input: 'Take one step' })
    expect([status, decisions[0]?.model]).toEqual(['verified', 'tiny'])
  })

  it.each([
    [
      '422',
      UnprocessableEntityError,
      { input: 'x', questions: [predicate, { type: 'choice', instructions: 'x', choices: [] }] },
      'questions[1].choices',
    ],
    ['404', NotFoundError, { model: 'nobody/no-such-model', input: 'x', questions: [predicate] }, null],
  ] as const)('maps %s to its class with the field at fault', async (_, type, body, param) => {
    const error = await client.decisions
      .create({ model, ...body } as unknown as DecisionCreateParams)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ param, type: expect.any(String), requestID: expect.stringMatching(/^req_/) })
  })

  it('maps an unknown key to its class', async () => {
    const stranger = new OpenAI({ baseURL: `${tiny.url}/v1`, apiKey: 'wrong' })
    await expect(stranger.decisions.create({ model, input: 'x', questions: [predicate] })).rejects.toBeInstanceOf(
      AuthenticationError,
    )
    await expect(stranger.models.list()).rejects.toBeInstanceOf(AuthenticationError)
  })
})

describe('its retries', () => {
  it('D23: wait for 429, and are not made where they cannot help', async () => {
    const stub = createStubEngine()
    const server = createServer({ engine: stub.engine, keys: ['a'], limits: { requestsPerMinute: 1 } })
    const sent: number[] = []
    const over = new OpenAI({
      baseURL: 'http://server/v1',
      apiKey: 'a',
      logLevel: 'off',
      maxRetries: 2,
      fetch: async (url, init) => {
        const response = await server.fetch(new Request(url as string, init as RequestInit))
        sent.push(response.status)
        return response
      },
    })
    const ask = () => over.decisions.create({ model, input: 'x', questions: [predicate] })
    stub.failure = new InternalError()
    await expect(ask()).rejects.toMatchObject({ status: 500 })
    expect(sent).toEqual([500])
    await expect(
      over.decisions.create({ model, input: 'x', questions: [predicate] }, { maxRetries: 0 }),
    ).rejects.toBeInstanceOf(RateLimitError)
  })
})
