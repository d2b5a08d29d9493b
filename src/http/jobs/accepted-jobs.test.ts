import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { InternalError } from '../../errors/index.ts'
import { createMemoryStore, type UsageStore } from '../index.ts'
import { eventsOf, type JobServer, openJobServer } from '../test-support/job-server.ts'
import { BODY, bearer, get, IMAGE_BODIES, json, post } from '../test-support/requests.ts'

const ROUTES: readonly (readonly [string, object])[] = [
  ['/v1/systemone', BODY],
  ['/v1/decisions', { input: 'x', questions: [{ type: 'predicate', instructions: 'Urgent?' }] }],
  ...IMAGE_BODIES,
]

describe.each(ROUTES)('a job of %s', (path, body) => {
  it.each([
    ['Prefer: respond-async', body, { prefer: 'respond-async' }],
    ['background: true', { ...body, background: true }, {}],
  ])('by %s is accepted at once, and its result is the answer of the route', async (_, sent, headers) => {
    const jobs = openJobServer()
    jobs.hold()
    const response = await jobs.server.fetch(post(sent, { path, headers: headers as Record<string, string> }))
    const job = await json(response)
    expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/jobs/${String(job['id'])}`])
    expect(response.headers.get('preference-applied')).toBe('prefer' in headers ? 'respond-async' : null)
    expect(job).toMatchObject({ object: 'job', path, created_at: expect.any(Number) })
    jobs.open()
    await jobs.until(job['id'], 'succeeded')
    const { result } = await json(jobs.ask(job['id']))
    const plain = await json(jobs.server.fetch(post(body, { path })))
    const timeless = (answer: unknown) => ({ ...(answer as object), created: 0, latency_ms: 0 })
    expect(timeless(result)).toEqual(timeless(plain))
  })

  it('with background: false is answered at once', async () => {
    const response = await openJobServer().server.fetch(post({ ...body, background: false }, { path }))
    expect(response.status).toBe(200)
  })

  it.each([[1], ['yes'], [[]]])('is not what a background of %j asks for, which is refused', async (background) => {
    const response = await openJobServer().server.fetch(post({ ...body, background }, { path }))
    expect([response.status, await json(response)]).toEqual([
      422,
      expect.objectContaining({ message: expect.stringContaining('background: must be') }),
    ])
  })

  it('that the route refuses is none', async () => {
    const jobs = openJobServer()
    const { response } = await jobs.start({ nonsense: 1 }, path)
    expect(response.status).toBe(422)
    expect(await json(jobs.server.fetch(get('/v1/jobs')))).toEqual({ object: 'list', data: [] })
  })

  it('that nests too deeply to be written as text is refused', async () => {
    const jobs = openJobServer()
    const deep = JSON.stringify({ ...body, other: 0 }).replace(/0}$/, `${'['.repeat(20_000)}${']'.repeat(20_000)}}`)
    const { response, job } = await jobs.start(deep, path, { 'idempotency-key': 'k' })
    expect([response.status, JSON.stringify(job)]).toEqual([422, expect.stringContaining('at most 1,500 levels')])
  })

  it('that fails says why, and is not charged', async () => {
    const jobs = openJobServer({ keys: [{ key: 'a', prepaid: '1' }] })
    jobs.stub.failure = new InternalError('SECRET')
    const { job } = await jobs.start(body, path, bearer('a'))
    await jobs.until(job['id'], 'failed', bearer('a'))
    const failed = await json(jobs.ask(job['id'], bearer('a')))
    expect(failed['error']).toMatchObject({ status: 500, error_type: 'internal_error', message: expect.any(String) })
    expect(JSON.stringify(failed)).not.toContain('SECRET')
    expect(await json(jobs.server.fetch(get('/v1/usage', { headers: bearer('a') })))).toMatchObject({
      prepaid: { left: '1' },
      months: [],
    })
  })
})

it('a picture asked to be opaque is no job, and one with a stream is refused', async () => {
  const [path, body] = IMAGE_BODIES[0]
  const jobs = openJobServer()
  expect((await jobs.server.fetch(post({ ...body, background: 'opaque' }, { path }))).status).toBe(200)
  const { response, job } = await jobs.start({ ...body, stream: true }, path)
  expect([response.status, job['message']]).toEqual([422, expect.stringContaining('stream: cannot be true for a job')])
})

it('a form may ask for a job', async () => {
  const jobs = openJobServer()
  const form = new FormData()
  form.set('prompt', 'x')
  form.set('background', 'true')
  form.set('image', new Blob(['hello']), 'a.png')
  const request = new Request('http://server/v1/images/edits', { method: 'POST', body: form })
  expect((await jobs.server.fetch(request)).status).toBe(202)
})

describe('money', () => {
  const headers = bearer('a')
  const keys = [{ key: 'a', id: 'me', prepaid: '0.25' }]
  const [path, body] = IMAGE_BODIES[0]
  const left = async (jobs: JobServer) =>
    (await json(jobs.server.fetch(get('/v1/usage', { headers }))))['prepaid'] as { readonly left: string }

  it('is set aside while the job waits, and charged once when it is done', async () => {
    const jobs = openJobServer({ keys })
    jobs.hold()
    const { job } = await jobs.start(body, path, headers)
    expect(await left(jobs)).toMatchObject({ left: '0.05' })
    expect((await jobs.start(body, path, headers)).response.status).toBe(402)
    jobs.open()
    await jobs.until(job['id'], 'succeeded', headers)
    expect(await left(jobs)).toMatchObject({ left: '0.05' })
    expect(await jobs.server.usage('me')).toMatchObject([{ requests: 1, units: 1 }])
  })

  it('comes back when the job is cancelled', async () => {
    const jobs = openJobServer({ keys })
    jobs.hold()
    const { job } = await jobs.start(body, path, headers)
    expect(await json(jobs.ask(job['id'], headers, { method: 'DELETE' }))).toMatchObject({ status: 'cancelled' })
    expect(await left(jobs)).toMatchObject({ left: '0.25' })
    expect(jobs.stub.counts).toMatchObject({ aborted: 1, running: 0 })
    expect((await json(jobs.ask(job['id'], headers)))['status']).toBe('cancelled')
    expect(jobs.entries.at(-1)).toMatchObject({ route: '/v1/jobs/{id}' })
  })

  it('that the store has not set aside when the server closes is to be asked of another one', async () => {
    const store = createMemoryStore()
    let asked = 0
    const slow: UsageStore = {
      ...store,
      async update(...change) {
        asked++
        await sleep(200)
        return store.update(...change)
      },
    }
    const jobs = openJobServer({ keys, store: slow })
    const started = jobs.start(body, path, headers)
    await expect.poll(() => asked).toBe(1)
    await jobs.server.close()
    expect((await started).response.status).toBe(529)
    expect(await jobs.server.usage('me')).toEqual([])
  })

  it('comes back when the server closes', async () => {
    const jobs = openJobServer({ keys })
    jobs.hold()
    const { job } = await jobs.start(body, path, headers)
    const events = jobs.ask(job['id'], headers, {}, '/events').then(eventsOf)
    await expect.poll(() => jobs.stub.counts.running).toBe(1)
    await jobs.server.close()
    expect((await events).at(-1)).toMatchObject(['job.failed', { error: { status: 529, error_type: 'overloaded' } }])
    expect(await jobs.server.usage('me')).toEqual([])
  })
})

describe('an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'k' }

  it('finds the job that runs, and its result', async () => {
    const jobs = openJobServer({ keys: [{ key: 'a', id: 'me' }] })
    jobs.hold()
    const headers = { ...bearer('a'), ...key }
    const [first, second] = await Promise.all([
      jobs.start(BODY, '/v1/systemone', headers),
      jobs.start(BODY, '/v1/systemone', headers),
    ])
    expect([first.response.status, second.response.status, second.job['id']]).toEqual([202, 202, first.job['id']])
    jobs.open()
    await jobs.until(first.job['id'], 'succeeded', bearer('a'))
    expect((await jobs.start(BODY, '/v1/systemone', headers)).job).toMatchObject({ status: 'succeeded', result: {} })
    expect(jobs.stub.counts.decided).toBe(1)
    expect(await jobs.server.usage('me')).toMatchObject([{ requests: 1 }])
  })

  it('of another body is refused', async () => {
    const jobs = openJobServer()
    await jobs.start(BODY, '/v1/systemone', key)
    const { response } = await jobs.start({ ...BODY, state: 'other' }, '/v1/systemone', key)
    expect(response.status).toBe(409)
  })

  it('with another webhook is refused, as nobody would tell that address', async () => {
    const jobs = openJobServer({ webhooks: { secret: `whsec_${Buffer.alloc(32).toString('base64')}` } })
    jobs.hold()
    await jobs.start(BODY, '/v1/systemone', key)
    const webhook = { 'tessera-webhook': 'https://shop.example/hook' }
    expect((await jobs.start(BODY, '/v1/systemone', { ...key, ...webhook })).response.status).toBe(409)
    expect((await jobs.start(BODY, '/v1/systemone', key)).response.status).toBe(202)
  })

  it('of a refused request is free again, also for whoever waits for the same', async () => {
    const jobs = openJobServer({ keys: [{ key: 'a', prepaid: '0' }] })
    const headers = { ...bearer('a'), ...key }
    const [path, body] = IMAGE_BODIES[0]
    const all = await Promise.all([jobs.start(body, path, headers), jobs.start(body, path, headers)])
    expect(all.map(({ response }) => response.status)).toEqual([402, 402])
    expect((await jobs.start({ ...body, n: 2 }, path, headers)).response.status).toBe(402)
  })

  it('joins a plain request that runs', async () => {
    const jobs = openJobServer({ keys: [{ key: 'a', id: 'me' }] })
    jobs.hold()
    const headers = { ...bearer('a'), ...key }
    const plain = jobs.server.fetch(post(BODY, { headers }))
    const job = jobs.start(BODY, '/v1/systemone', headers)
    await sleep(20)
    jobs.open()
    expect((await plain).status).toBe(200)
    expect((await job).job).toMatchObject({ status: 'succeeded' })
    expect(await jobs.server.usage('me')).toMatchObject([{ requests: 1 }])
  })
})
