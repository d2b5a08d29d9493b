import { describe, expect, it, vi } from 'vitest'
import { StoreUnavailableError } from '../../errors/index.ts'
import { MemoryJobStore } from '../jobs/memory-job-store.ts'
import { line, openBatchServer } from '../test-support/batch-server.ts'
import { eventsOf } from '../test-support/job-server.ts'
import { BODY, bearer, get, json, post } from '../test-support/requests.ts'

describe('a batch', () => {
  it('is answered as the decisions of its lines are, and charged for each', async () => {
    const jobs = openBatchServer({ keys: [{ key: 'a', id: 'me', freeTokens: 1000 }] })
    const me = bearer('a')
    const id = await jobs.startBatch(`${line('one')}\r\n\n${line('two', { state: 'x' })}`, me)
    await jobs.until(id, 'succeeded', me)
    const results = await jobs.resultsOf(id, me)
    const plain = await json(jobs.server.fetch(post(BODY, { headers: me })))
    expect(results.get(1)).toEqual({ custom_id: 'one', line: 1, response: plain })
    expect(results.get(3)).toMatchObject({ custom_id: 'two', response: { usage: { input_tokens: 3 } } })
    const tokens = JSON.stringify(BODY.state).length
    expect(await jobs.server.usage('me')).toMatchObject([{ requests: 3, units: 2 * tokens + 3 }])
    expect(await json(jobs.ask(id, me))).toMatchObject({
      path: '/v1/batches',
      counts: { total: 2, succeeded: 2, failed: 0, cancelled: 0 },
    })
    expect(jobs.entries.find(({ route }) => route === '/v1/batches')).toMatchObject({ status: 202, units: tokens + 3 })
  })

  it('says of a bad line what is wrong with it, and answers the others', async () => {
    const jobs = openBatchServer()
    const bad = [
      '{"custom_id": "broken',
      '[]',
      JSON.stringify(BODY),
      line('x'.repeat(65)),
      line('\ud800'),
      line('good'),
      line('good'),
      line('few', { questions: { team: { type: 'choice', criteria: { one: 'SECRET' } } } }),
      line('deep', { state: 'D' }).replace('"D"', '['.repeat(1600) + ']'.repeat(1600)),
    ]
    const id = await jobs.startBatch(bad.join('\n'))
    await jobs.until(id, 'succeeded')
    const results = await jobs.resultsOf(id)
    const said = [...results.values()].sort((a, b) => a.line - b.line)
    expect(said.map(({ custom_id, error }) => [custom_id, error?.status, error?.message])).toEqual([
      [null, 422, 'line: must be valid JSON'],
      [null, 422, 'line: must be a JSON object, got an array'],
      [null, 422, 'custom_id: must be a string of 1 to 64 characters, got nothing'],
      [null, 422, 'custom_id: must be a string of 1 to 64 characters, got 65 characters'],
      [null, 422, 'custom_id: holds a lone surrogate (half of a UTF-16 pair), which is not Unicode text'],
      ['good', undefined, undefined],
      ['good', 422, 'custom_id: is that of line 6 already'],
      ['few', 422, expect.stringMatching(/^questions\.team\.criteria: a choice needs 2 to 26 options, got 1/)],
      [null, 422, 'line: must be nested at most 1,500 levels deep'],
    ])
    expect(said[7].error.detail).toMatchObject([{ loc: ['body', 'questions', 'team', 'criteria'] }])
    expect(JSON.stringify(said)).not.toContain('SECRET')
    expect(await json(jobs.ask(id))).toMatchObject({ counts: { total: 9, succeeded: 1, failed: 8, cancelled: 0 } })
  })

  it.each([
    ['of another type', '{}', { 'content-type': 'application/json' }, 415, 'application/jsonl'],
    ['without lines', '\n \n', {}, 422, 'at least one line'],
    ['of too many lines', '{}\n'.repeat(10_001), {}, 422, 'at most 10,000 lines'],
    ['that is too large', line('a'), {}, 413, 'at most 40 bytes'],
    ['without a key', line('a'), { authorization: 'Bearer wrong' }, 401, 'API key'],
  ])('%s is refused before any work', async (_, body, headers, status, message) => {
    const maxBodyBytes = status === 413 ? 40 : 2 ** 20
    const jobs = openBatchServer({ maxBodyBytes, ...(status === 401 && { keys: ['a'] }) })
    const response = await jobs.sendBatch(body, headers as Record<string, string>)
    expect([response.status, (await json(response))['message']]).toEqual([status, expect.stringContaining(message)])
    expect(jobs.stub.counts.decided).toBe(0)
  })

  it('large enough for the thread that reads bodies is read line by line there', async () => {
    const jobs = openBatchServer()
    const id = await jobs.startBatch(
      `"broken\n${line('big', { state: 'x'.repeat(150_000) })}\n${line('s', { state: 'y'.repeat(150_000) })}`,
    )
    await jobs.until(id, 'succeeded')
    expect(await json(jobs.ask(id))).toMatchObject({ counts: { total: 3, succeeded: 2, failed: 1 } })
  })

  it('that is cancelled keeps what was answered, which is charged, and stops the rest', async () => {
    const jobs = openBatchServer({ keys: [{ key: 'a', id: 'me' }], jobs: { concurrency: 2 } })
    const me = bearer('a')
    const ids = Array.from({ length: 9 }, (_, index) => line(`${index}`))
    const { decide } = jobs.stub.engine
    Object.assign(jobs.stub.engine, {
      decide: async (...call: Parameters<typeof decide>) => {
        if (jobs.stub.counts.decided === 4) jobs.hold()
        return decide(...call)
      },
    })
    const id = await jobs.startBatch(ids.join('\n'), me)
    await expect.poll(async () => (await json(jobs.ask(id, me)))['status']).toBe('running')
    await expect.poll(() => jobs.stub.counts.running).toBe(2)
    const decided = jobs.stub.counts.decided
    const cancelled = await json(jobs.ask(id, me, { method: 'DELETE' }))
    expect(cancelled).toMatchObject({
      status: 'cancelled',
      counts: { total: 9, succeeded: decided, failed: 0, cancelled: 9 - decided },
    })
    expect((await jobs.resultsOf(id, me)).size).toBe(decided)
    expect(await jobs.server.usage('me')).toMatchObject([{ requests: decided }])
    expect(jobs.stub.counts.running).toBe(0)
  })

  it('that is cancelled while its lines are weighed takes no turn of others', async () => {
    const jobs = openBatchServer({ keys: [{ key: 'a', prepaid: '1' }], jobs: { concurrency: 1 } })
    const me = bearer('a')
    let weigh = () => {}
    const weighed = new Promise<void>((resolve) => (weigh = resolve))
    const { countTokens } = jobs.stub.engine
    let asked = 0
    const countLate: typeof countTokens = async (body) => {
      asked++
      await weighed
      return countTokens(body)
    }
    Object.assign(jobs.stub.engine, { countTokens: countLate })
    const id = await jobs.startBatch(`${line('a')}\n${line('b')}`, me)
    await expect.poll(() => asked).toBe(2)
    expect(await json(jobs.ask(id, me, { method: 'DELETE' }))).toMatchObject({ status: 'cancelled' })
    weigh()
    const { job } = await jobs.start(BODY, '/v1/systemone', me)
    await jobs.until(job['id'], 'succeeded', me)
  })

  it('gives its turns back where the store of jobs is away', async () => {
    const store = new MemoryJobStore()
    const write = store.write.bind(store)
    let failures = 0
    store.write = async (job) => {
      if (failures++ === 0) throw new StoreUnavailableError('away', { retryAfterMs: 1 })
      return write(job)
    }
    const jobs = openBatchServer({ jobs: { store, concurrency: 1 } })
    const id = await jobs.startBatch(`${line('a')}\n${line('b')}`)
    await jobs.until(id, 'succeeded')
    expect(await json(jobs.ask(id))).toMatchObject({ counts: { total: 2, succeeded: 2 } })
  })

  it('tells of its lines while it runs, and has results when it is over', async () => {
    const jobs = openBatchServer()
    jobs.hold()
    const id = await jobs.startBatch(line('a'))
    const early = await jobs.server.fetch(get(`/v1/batches/${id}/results`))
    expect([early.status, (await json(early))['message']]).toEqual([404, expect.stringContaining('is not over')])
    const events = jobs.ask(id, {}, {}, '/events').then(eventsOf)
    expect(await json(jobs.ask(id))).toMatchObject({
      counts: { total: 1, succeeded: 0 },
      progress: { stage: 'answering', done: 0, total: 1 },
    })
    jobs.open()
    expect((await events).at(-1)).toMatchObject(['job.succeeded', { result: [{ custom_id: 'a' }] }])
  })

  it('is there for its account alone, and no other job has results as lines', async () => {
    const jobs = openBatchServer({ keys: ['a', 'b'].map((key) => ({ key, id: key })) })
    const id = await jobs.startBatch(line('a'), bearer('a'))
    await jobs.until(id, 'succeeded', bearer('a'))
    expect((await jobs.server.fetch(get(`/v1/batches/${id}/results`, { headers: bearer('b') }))).status).toBe(404)
    const { job } = await jobs.start(BODY, '/v1/systemone', bearer('a'))
    const other = jobs.server.fetch(get(`/v1/batches/${String(job['id'])}/results`, { headers: bearer('a') }))
    expect((await json(other))['message']).toContain('this job is no batch')
  })

  it('that is kept until it is fetched is gone when its results are', async () => {
    const jobs = openBatchServer()
    const id = await jobs.startBatch(line('a'), { prefer: 'keep-result=0' })
    await jobs.until(id, 'succeeded')
    expect(await eventsOf(await jobs.ask(id, {}, {}, '/events'))).toMatchObject([['job.succeeded', {}]])
    expect((await jobs.resultsOf(id)).size).toBe(1)
    expect((await jobs.ask(id)).status).toBe(404)
  })

  it('has its lines checked one by one, and others looked after in between', async () => {
    const jobs = openBatchServer()
    const rounds: number[] = []
    let round = 0
    const { decide } = jobs.stub.engine
    vi.spyOn(jobs.stub.engine, 'decide').mockImplementation((...call) => {
      rounds.push(round)
      return decide(...call)
    })
    const id = await jobs.startBatch(Array.from({ length: 40 }, (_, index) => line(`${index}`)).join('\n'))
    let isOver = false
    const count = () => {
      round++
      if (!isOver) setImmediate(count)
    }
    count()
    await jobs.until(id, 'succeeded')
    isOver = true
    expect(rounds).toHaveLength(40)
    // The first four have their turns at once.
    expect(new Set(rounds).size).toBeGreaterThan(36)
  })

  it('is written as text to know it again only where it has an Idempotency-Key', async () => {
    const jobs = openBatchServer()
    const body = line('name', { state: 'STATE' })
    const stringify = vi.spyOn(JSON, 'stringify')
    const texts = () => stringify.mock.results.map(({ value }) => String(value))
    const written = () => texts().filter((text) => text.includes('name') && text.includes('STATE'))
    await jobs.until(await jobs.startBatch(body), 'succeeded')
    expect(written()).toEqual([])
    await jobs.until(await jobs.startBatch(body, { 'idempotency-key': 'k' }), 'succeeded')
    expect(written()).toHaveLength(1)
    stringify.mockRestore()
  })

  it('is found by its Idempotency-Key, and charged once', async () => {
    const jobs = openBatchServer({ keys: [{ key: 'a', id: 'me' }] })
    const headers = { ...bearer('a'), 'idempotency-key': 'k' }
    const id = await jobs.startBatch(`${line('a')}\n${line('b')}`, headers)
    await jobs.until(id, 'succeeded', bearer('a'))
    expect(await jobs.startBatch(`${line('a')}\n${line('b')}`, headers)).toBe(id)
    expect((await jobs.sendBatch(line('a'), headers)).status).toBe(409)
    await jobs.ask(id, bearer('a'), { method: 'DELETE' })
    await jobs.startBatch(`${line('a')}\n${line('b')}`, headers)
    await jobs.until(id, 'succeeded', bearer('a'))
    expect(jobs.stub.counts.decided).toBe(4)
    expect(await jobs.server.usage('me')).toMatchObject([{ requests: 2 }])
  })
})
