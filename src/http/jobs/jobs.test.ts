import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { eventsOf, type JobServer, openJobServer } from '../test-support/job-server.ts'
import { BODY, bearer, get, IMAGE_BODIES, json, post } from '../test-support/requests.ts'
import type { Job } from './job.ts'
import { MemoryJobStore } from './memory-job-store.ts'

describe('jobs that wait', () => {
  it('have a place, and take turns over accounts', async () => {
    const jobs = openJobServer({ keys: ['a', 'b'].map((key) => ({ key, id: key })), jobs: { concurrency: 1 } })
    jobs.hold()
    await jobs.start(BODY, '/v1/systemone', bearer('a'))
    const second = await jobs.start(BODY, '/v1/systemone', bearer('a'))
    const third = await jobs.start(BODY, '/v1/systemone', bearer('a'))
    const other = await jobs.start(BODY, '/v1/systemone', bearer('b'))
    expect(second.job).toMatchObject({ status: 'queued', place: 1 })
    expect(other.job).toMatchObject({ status: 'queued', place: 2 })
    expect(await json(jobs.ask(third.job['id'], bearer('a')))).toMatchObject({ place: 3 })
    expect(await (await jobs.server.fetch(get('/metrics', { headers: bearer('a') }))).status).toBe(403)
    jobs.open()
    await jobs.until(third.job['id'], 'succeeded', bearer('a'))
    expect(jobs.stub.clients).toEqual(['a', 'a', 'b', 'a'])
  })

  it('are cancelled where they are', async () => {
    const jobs = openJobServer({ jobs: { concurrency: 1 } })
    jobs.hold()
    await jobs.start(BODY)
    const { job } = await jobs.start(BODY)
    expect(await json(jobs.ask(job['id'], {}, { method: 'DELETE' }))).toMatchObject({ status: 'cancelled' })
    expect(jobs.stub.counts.running).toBe(1)
  })

  it('give their turn back where they are cancelled and a plain request goes on with their work', async () => {
    const jobs = openJobServer({ jobs: { concurrency: 1 } })
    jobs.hold()
    const [path, body] = IMAGE_BODIES[0]
    const headers = { 'idempotency-key': 'k' }
    await jobs.start(body, path)
    const { job } = await jobs.start({ ...body, partial_images: 1 }, path, headers)
    const plain = jobs.server.fetch(post({ ...body, partial_images: 1 }, { path, headers }))
    // Nothing tells when it has joined.
    await sleep(20)
    const cancelled = await json(jobs.ask(job['id'], {}, { method: 'DELETE' }))
    expect([cancelled['status'], cancelled['place']]).toEqual(['cancelled', undefined])
    const last = await jobs.start(body, path)
    jobs.open()
    expect((await plain).status).toBe(200)
    await jobs.until(last.job['id'], 'succeeded')
    expect(await json(jobs.ask(job['id']))).toEqual(cancelled)
  })

  it('keep their place under the limits of the key', async () => {
    const jobs = openJobServer({ keys: [{ key: 'a', concurrency: 1 }] })
    jobs.hold()
    const { job } = await jobs.start(BODY, '/v1/systemone', bearer('a'))
    expect((await jobs.server.fetch(post(BODY, { headers: bearer('a') }))).status).toBe(429)
    expect(jobs.entries.filter(({ status }) => status === 202)).toEqual([])
    jobs.open()
    await jobs.until(job['id'], 'succeeded', bearer('a'))
    expect((await jobs.server.fetch(post(BODY, { headers: bearer('a') }))).status).toBe(200)
    expect(jobs.entries.filter(({ status }) => status === 202)).toMatchObject([
      { route: '/v1/systemone', units: JSON.stringify(BODY.state).length, computeMs: 300 },
    ])
  })
})

describe('a job', () => {
  it('is there for its account alone', async () => {
    const jobs = openJobServer({ keys: ['a', 'b'].map((key) => ({ key, id: key })) })
    const { job } = await jobs.start(BODY, '/v1/systemone', bearer('a'))
    for (const [method, tail] of [
      ['GET', ''],
      ['DELETE', ''],
      ['GET', '/events'],
    ] as const) {
      const response = await jobs.ask(job['id'], bearer('b'), { method }, tail)
      expect([response.status, await json(response)]).toEqual([
        404,
        expect.objectContaining({ error_type: 'not_found' }),
      ])
      expect((await jobs.ask(job['id'], {}, { method }, tail)).status).toBe(401)
    }
    expect(await json(jobs.server.fetch(get('/v1/jobs', { headers: bearer('b') })))).toMatchObject({ data: [] })
    const { data } = await json(jobs.server.fetch(get('/v1/jobs', { headers: bearer('a') })))
    expect(data).toMatchObject([{ id: job['id'] }])
    expect(JSON.stringify(data)).not.toContain('result')
  })

  it('streams its progress, and its result at the end', async () => {
    const [path, body] = IMAGE_BODIES[0]
    const jobs = openJobServer()
    jobs.hold()
    const { job } = await jobs.start(body, path)
    const response = await jobs.ask(job['id'], {}, {}, '/events')
    jobs.open()
    const events = await eventsOf(response)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    const progress = events.map(([, { progress }]) => progress).filter((value) => value !== undefined)
    expect(progress).toContainEqual({ stage: 'denoising', done: 0, total: 1 })
    expect(events.at(-1)).toMatchObject(['job.succeeded', { id: job['id'], result: { data: [{}] } }])
  })

  it.each(IMAGE_BODIES)(
    'streams previews as they are asked for, also those that were there before: %s',
    async (path, body) => {
      const jobs = openJobServer()
      jobs.hold()
      const { job } = await jobs.start({ ...body, partial_images: 2 }, path)
      await expect.poll(() => jobs.stub.counts.running).toBe(1)
      const response = await jobs.ask(job['id'], {}, {}, '/events')
      jobs.open()
      const events = await eventsOf(response)
      const name = path.endsWith('edits') ? 'image_edit.partial_image' : 'image_generation.partial_image'
      const partials = events.filter(([type]) => type === name)
      expect(partials.map(([, data]) => data)).toMatchObject([
        { type: name, partial_image_index: 0, size: '16x16', b64_json: expect.any(String) },
        { type: name, partial_image_index: 1 },
      ])
      expect(events.at(-1)).toMatchObject(['job.succeeded', { result: { data: [{}] } }])
      const plain = await jobs.start(body, path)
      const quiet = await eventsOf(await jobs.ask(plain.job['id'], {}, {}, '/events'))
      expect(quiet.every(([type]) => type.startsWith('job.'))).toBe(true)
    },
  )

  it('is not watched for whoever asks for the headers of its events alone', async () => {
    const jobs = openJobServer()
    jobs.hold()
    const { job } = await jobs.start(BODY)
    const { status, headers } = await jobs.ask(job['id'], {}, { method: 'HEAD' }, '/events')
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    expect(jobs.entries).toMatchObject([{ method: 'HEAD', status: 200 }])
  })

  it('that is kept until it is fetched is gone then, and not before', async () => {
    const jobs = openJobServer()
    const { job } = await jobs.start(BODY, '/v1/systemone', { prefer: 'respond-async, keep-result=0' })
    await expect
      .poll(async () => (await json(jobs.server.fetch(get('/v1/jobs'))))['data'])
      .toMatchObject([{ status: 'succeeded' }])
    for (const tail of ['', '/events']) {
      expect((await jobs.ask(job['id'], {}, { method: 'HEAD' }, tail)).status).toBe(200)
    }
    expect(await json(jobs.ask(job['id']))).toMatchObject({ status: 'succeeded', result: {} })
    expect((await jobs.ask(job['id'])).status).toBe(404)
  })

  it.each([
    ['respond-async', 600],
    ['keep-result=60, respond-async', 60],
    ['respond-async, keep-result=60, keep-result=5', 60],
  ])('with Prefer: %s is removed %i seconds after its end', async (prefer, seconds) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    try {
      const jobs = openJobServer()
      const { job } = await jobs.start(BODY, '/v1/systemone', { prefer })
      await vi.waitFor(async () => expect((await json(jobs.ask(job['id'])))['status']).toBe('succeeded'), {
        timeout: 60_000,
      })
      const { ended_at, expires_at } = await json(jobs.ask(job['id']))
      expect(Number(expires_at) - Number(ended_at)).toBe(seconds)
      await vi.advanceTimersByTimeAsync((seconds - 1) * 1000)
      expect((await jobs.ask(job['id'])).status).toBe(200)
      await vi.advanceTimersByTimeAsync(2000)
      expect((await jobs.ask(job['id'])).status).toBe(404)
    } finally {
      vi.useRealTimers()
    }
  })

  it('that is over is removed by DELETE', async () => {
    const jobs = openJobServer()
    const { job } = await jobs.start(BODY)
    await jobs.until(job['id'], 'succeeded')
    expect(await json(jobs.ask(job['id'], {}, { method: 'DELETE' }))).toMatchObject({ status: 'succeeded', result: {} })
    expect((await jobs.ask(job['id'])).status).toBe(404)
  })

  it.each(['keep-result=-1', 'keep-result=86401', 'keep-result=', 'keep-result=1e3'])(
    'with Prefer: %s is refused',
    async (prefer) => {
      const jobs = openJobServer()
      const { response, job } = await jobs.start(BODY, '/v1/systemone', { prefer })
      expect([response.status, job['message']]).toEqual([400, expect.stringContaining('keep-result must be')])
    },
  )

  it('is counted by how it ended', async () => {
    const jobs = openJobServer()
    const { job } = await jobs.start(BODY)
    await jobs.until(job['id'], 'succeeded')
    const text = await (await jobs.server.fetch(get('/metrics'))).text()
    expect(text).toContain('tessera_jobs_total{status="succeeded"} 1')
    expect(text).toContain('tessera_jobs{status="running"} 0')
  })
})

describe('a job of another process', () => {
  const other: Job = {
    id: 'job_other',
    account: 'me',
    path: '/v1/systemone',
    status: 'running',
    createdAt: 0,
    keepMs: 60_000,
    bytes: 0,
  }
  const me = bearer('a')
  let store: MemoryJobStore
  let jobs: JobServer
  let events: Promise<[string, unknown][]>
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    store = new MemoryJobStore()
    await store.add(other)
    jobs = openJobServer({ keys: [{ key: 'a', id: 'me' }], jobs: { store } })
    events = eventsOf(await jobs.ask(other.id, me, {}, '/events'))
    // It is looked at twice a second.
    await vi.advanceTimersByTimeAsync(5000)
  })
  afterEach(() => vi.useRealTimers())

  it('is told of where it changes, and not each time that it is looked at', async () => {
    await store.write({ ...other, status: 'succeeded', endedAt: 1, result: {} })
    await vi.advanceTimersByTimeAsync(1000)
    expect((await events).map(([name]) => name)).toEqual(['job.running', 'job.succeeded'])
  })

  it('holds up no end of this one, whose clients are told to ask another', async () => {
    const closed = jobs.server.close()
    await vi.advanceTimersByTimeAsync(1000)
    await closed
    expect((await events).at(-1)).toMatchObject(['error', { error_type: 'overloaded' }])
  })
})
