import {
  APITimeoutError,
  APIUserAbortError,
  AuthenticationError,
  choice,
  InternalServerError,
  noul,
  NotFoundError,
  RateLimitError,
  score,
  TypeSafeClient,
  UnprocessableEntityError,
} from '@typesafe-ai/sdk'
import { describe, expect, it } from 'vitest'
import { createNodeServer } from '../../src/http/adapters/node.ts'
import { createServer } from '../../src/http/index.ts'
import { listen } from '../../src/http/test-support/listen.ts'
import { createStubEngine } from '../../src/http/test-support/stub-engine.ts'
import { OverloadedError } from '../../src/index.ts'
import { startTinyServer } from '../helpers/tiny-server.ts'

const tiny = await startTinyServer({
  keys: [
    { key: 'right', scopes: ['decide', 'metrics'] },
    { key: 'poor', id: 'poor', freeTokens: 1 },
  ],
})

const clientOf = (apiKey = 'right') =>
  new TypeSafeClient({ baseURL: tiny.url, apiKey, logLevel: 'off', timeout: 30_000 })

describe('@typesafe-ai/sdk', () => {
  it('S76: asks all types of questions under its default model, and reads the answers', async () => {
    const { answers, model, usage } = await clientOf().systemOne({
      state: { subject: 'Invoice', lines: [1, null, true] },
      questions: {
        urgent: noul('Is it urgent?', { true: 'today', false: null }),
        unsaid: noul(null, { true: { means: 'yes' } }),
        team: choice({ task: 'Who?' }, { billing: 'Money', tech: null, other: ['any', 'thing'] }),
        anger: score(null, ['calm', { is: 'cross' }, ['very', 'angry']]),
      },
    })
    expect(model).toBe('tiny')
    expect(usage).toEqual({ input_tokens: expect.any(Number), output_tokens: 0 })
    expect(answers.urgent).toEqual({ type: 'noul', noul: expect.any(Number) })
    expect(answers.unsaid.noul).toBeGreaterThanOrEqual(0)
    expect(Object.keys(answers.team.probabilities)).toEqual(['billing', 'tech', 'other'])
    expect(['billing', 'tech', 'other']).toContain(answers.team.choice)
    expect(answers.anger.legend).toEqual({ 0: 'calm', 1: { is: 'cross' }, 2: ['very', 'angry'] })
    expect(answers.anger.score).toBeGreaterThanOrEqual(0)
    expect(answers.anger.score).toBeLessThanOrEqual(2)
  })

  it('S11: sends fields of ours along, and has the id of the request', async () => {
    const request = { state: 'x', questions: { q: noul('Yes?') }, min_confidence: 0, model: 'decide-latest' }
    const { data, requestId } = await clientOf().systemOne(request).withResponse()
    expect(data.answers.q).toMatchObject({ decided: true, confidence: expect.any(Number) })
    expect(requestId).toMatch(/^req_/)
  })

  it('S90: lists the models, and each of them answers', async () => {
    const models = await clientOf().models.list()
    expect(models.map(({ name }) => name)).toEqual(expect.arrayContaining(['decide-latest', 'jev-latest']))
    for (const { name } of models) {
      expect(await clientOf().systemOne({ model: name, state: 'x', questions: { q: noul('Yes?') } })).toMatchObject({
        model: 'tiny',
      })
    }
  })

  it.each([
    ['422', UnprocessableEntityError, { state: 5 }, '422 state: must be a string, an object or an array, got a number'],
    ['404', NotFoundError, { state: 'x', model: 'nobody/no-such-model' }, /^404 model: no model of this name/],
  ] as const)('maps %s to its class, with our message', async (_, type, body, message) => {
    const error = await clientOf()
      .systemOne({ questions: { q: noul('Yes?') }, ...body } as never)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ message: expect.stringMatching(message), requestId: expect.stringMatching(/^req_/) })
  })

  it('maps an unknown key and an empty account to its classes, without a retry', async () => {
    const ask = (key: string) => clientOf(key).systemOne({ state: 'x', questions: { q: noul('Yes?') } })
    await expect(ask('wrong')).rejects.toBeInstanceOf(AuthenticationError)
    await expect(ask('poor')).rejects.toMatchObject({ status: 402, body: { error_type: 'insufficient_quota' } })
    await expect(clientOf('wrong').models.list()).rejects.toBeInstanceOf(AuthenticationError)
  })

  it('stops the work when its time is up or its caller gives up', async () => {
    const ask = { state: 'x'.repeat(100_000), questions: { q: noul('Yes?') } }
    await expect(clientOf().systemOne(ask, { timeout: 50, retry: { maxRetries: 0 } })).rejects.toBeInstanceOf(
      APITimeoutError,
    )
    await expect(clientOf().systemOne(ask, { signal: AbortSignal.timeout(50) })).rejects.toBeInstanceOf(
      APIUserAbortError,
    )
    // Were they still running, this would wait for both.
    await clientOf().systemOne({ state: 'x', questions: { q: noul('Yes?') } })
    expect(
      await fetch(`${tiny.url}/metrics`, { headers: { authorization: 'Bearer right' } }).then((response) =>
        response.text(),
      ),
    ).toContain('tessera_http_requests_in_flight 1\n')
  })
})

describe('its retries', () => {
  const stub = createStubEngine()
  const ask = { state: 'x', questions: { q: noul('Yes?') } }

  it('after its time was up take over what the first try began, which is charged once', async () => {
    const slow = createStubEngine()
    const open = slow.hold()
    const statuses: number[] = []
    const server = createServer({
      engine: slow.engine,
      keys: [{ key: 'a', id: 'me', prepaid: '1' }],
      log: ({ status }) => statuses.push(status),
    })
    const listening = await listen(createNodeServer(server))
    const client = new TypeSafeClient({ baseURL: listening.url, apiKey: 'a', logLevel: 'off', timeout: 1500 })
    const answered = client.systemOne({ state: 'x', questions: { q: noul('Yes?') } })
    // One try has come to nothing by then, another one is told to come again, and the work of the first goes on.
    await expect.poll(() => statuses, { timeout: 20_000 }).toEqual([499, 529])
    expect(slow.counts).toEqual({ decided: 0, aborted: 0, running: 1 })
    open()
    expect(await answered).toMatchObject({ model: 'stub', answers: { q: { noul: 0.5 } } })
    expect([statuses, slow.counts]).toEqual([[499, 529, 200], { decided: 1, aborted: 0, running: 0 }])
    expect(await server.usage('me')).toMatchObject([{ requests: 1 }])
    await listening.close()
  })

  it('come again when the answer is there, where it takes longer than two tries', async () => {
    const slow = createStubEngine()
    const decide: typeof slow.engine.decide = async (request, options) => {
      for (let done = 1; done <= 50; done++) {
        await new Promise((resolve) => setTimeout(resolve, 100))
        options?.onProgress?.({ stage: 'reading', done, total: 50 })
      }
      return slow.engine.decide(request, options)
    }
    const statuses: number[] = []
    const server = createServer({
      engine: { ...slow.engine, decide },
      keys: [{ key: 'a', id: 'me', prepaid: '1' }],
      log: ({ status }) => statuses.push(status),
    })
    const listening = await listen(createNodeServer(server))
    const client = new TypeSafeClient({ baseURL: listening.url, apiKey: 'a', logLevel: 'off', timeout: 1500 })
    // Three tries of a second and a half, with half a second in between, would give up after 6 seconds.
    expect(await client.systemOne(ask)).toMatchObject({ model: 'stub', answers: { q: { noul: 0.5 } } })
    expect([statuses, slow.counts.decided]).toEqual([[499, 529, 200], 1])
    expect(await server.usage('me')).toMatchObject([{ requests: 1 }])
    await listening.close()
  })

  const clientOver = (server: ReturnType<typeof createServer>, sent: number[]) =>
    new TypeSafeClient({
      baseURL: 'http://server',
      apiKey: 'a',
      logLevel: 'off',
      fetch: async (url, init) => {
        const response = await server.fetch(new Request(url, init))
        sent.push(response.status)
        return response
      },
    })
  it('S18: wait as long as a 429 says, and then succeed', async () => {
    const server = createServer({ engine: stub.engine, keys: ['a'], limits: { concurrency: 1 } })
    const open = stub.hold()
    const sent: number[] = []
    const client = clientOver(server, sent)
    const first = client.systemOne(ask)
    const second = client.systemOne(ask)
    await expect.poll(() => sent, { timeout: 120_000 }).toEqual([429])
    open()
    await Promise.all([first, second])
    expect(sent).toEqual([429, 200, 200])
  })

  it('know how long to wait', async () => {
    const server = createServer({ engine: stub.engine, keys: ['a'], limits: { requestsPerMinute: 1 } })
    const client = clientOver(server, [])
    await client.systemOne(ask)
    const error = (await client
      .systemOne(ask, { retry: { maxRetries: 0 } })
      .catch((thrown: unknown) => thrown)) as RateLimitError
    expect(error).toBeInstanceOf(RateLimitError)
    expect(error.retryAfterMs).toBeGreaterThan(0)
    expect(error.retryAfterMs).toBeLessThanOrEqual(60_000)
  })

  it('come back after 529 and are told when there is no hope', async () => {
    const sent: number[] = []
    const client = clientOver(createServer({ engine: stub.engine }), sent)
    stub.failure = new OverloadedError(undefined, { retryAfterMs: 1 })
    await expect(client.systemOne(ask)).rejects.toBeInstanceOf(InternalServerError)
    expect(sent).toEqual([529, 529, 529])
    stub.failure = undefined
    await expect(client.systemOne(ask)).resolves.toMatchObject({ model: 'stub' })
  })
})
