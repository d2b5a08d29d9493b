import { expect, it } from 'vitest'
import { StoreUnavailableError } from '../../errors/index.ts'
import { eventsOf, openJobServer } from '../test-support/job-server.ts'
import { BODY, get, json } from '../test-support/requests.ts'
import { MemoryJobStore } from './memory-job-store.ts'

/** As one far away whose answer comes too late. */
class LateStore extends MemoryJobStore {
  override async remove(id: string): Promise<void> {
    await super.remove(id)
    throw new StoreUnavailableError('late')
  }
}

it.each(['', '/events'])(
  'what is kept until it is fetched reaches its owner where the store cannot say that it removed it: %s',
  async (tail) => {
    const store = new LateStore()
    const { start, ask, server } = openJobServer({ jobs: { store } })
    const { job } = await start(BODY, '/v1/systemone', { prefer: 'respond-async, keep-result=0' })
    const list = async () => (await json(server.fetch(get('/v1/jobs'))))['data']
    await expect.poll(list).toMatchObject([{ status: 'succeeded' }])
    const response = await ask(job['id'], {}, {}, tail)
    expect(response.status).toBe(200)
    if (tail === '') expect(await json(response)).toMatchObject({ status: 'succeeded', result: {} })
    else expect((await eventsOf(response)).map(([name]) => name)).toEqual(['job.succeeded'])
    expect(await list()).toEqual([])
  },
)

it.each(['', '/events'])(
  'what is kept until it is fetched stays where its client goes in the midst of it: %s',
  async (tail) => {
    const { start, ask, server } = openJobServer()
    const { job } = await start(BODY, '/v1/systemone', { prefer: 'respond-async, keep-result=0' })
    await expect
      .poll(async () => (await json(server.fetch(get('/v1/jobs'))))['data'])
      .toMatchObject([{ status: 'succeeded' }])
    const reader = (await ask(job['id'], {}, {}, tail)).body!.getReader()
    await reader.read()
    await reader.cancel()
    const controller = new AbortController()
    await ask(job['id'], {}, { signal: controller.signal }, tail)
    controller.abort()
    expect(await json(ask(job['id']))).toMatchObject({ status: 'succeeded', result: {} })
    expect((await ask(job['id'])).status).toBe(404)
  },
)

it.each(['', '/events'])('what is read late leaves another try that has its id by then: %s', async (tail) => {
  const { stub, start, ask, until, hold, open, server } = openJobServer()
  const headers = { prefer: 'respond-async, keep-result=0', 'idempotency-key': 'k' }
  hold()
  const { job } = await start(BODY, '/v1/systemone', headers)
  stub.failure = new Error('broken')
  open()
  await expect
    .poll(async () => (await json(server.fetch(get('/v1/jobs'))))['data'])
    .toMatchObject([{ status: 'failed' }])
  const late = await ask(job['id'], {}, {}, tail)
  stub.failure = undefined
  hold()
  const again = await start(BODY, '/v1/systemone', headers)
  expect(again.job['id']).toBe(job['id'])
  expect(await late.text()).toContain('"failed"')
  open()
  await until(again.job['id'], 'succeeded')
})
