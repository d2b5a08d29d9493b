import { expect, it } from 'vitest'
import { openJobServer } from '../test-support/job-server.ts'
import { BODY, bearer, json } from '../test-support/requests.ts'
import { MemoryJobStore } from './memory-job-store.ts'

it('a key may have 100 event streams open, and another where one has ended', async () => {
  const jobs = openJobServer({ keys: ['a', 'b'].map((key) => ({ key, id: key })) })
  jobs.hold()
  const { job } = await jobs.start(BODY, '/v1/systemone', bearer('a'))
  const client = new AbortController()
  const watch = () => jobs.ask(job['id'], bearer('a'), { signal: client.signal }, '/events')
  for (let open = 0; open < 100; open++) expect((await watch()).status).toBe(200)
  const refused = await watch()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect((await jobs.ask(job['id'], bearer('a'), { method: 'HEAD' }, '/events')).status).toBe(200)
  const { job: other } = await jobs.start(BODY, '/v1/systemone', bearer('b'))
  expect((await jobs.ask(other['id'], bearer('b'), { signal: client.signal }, '/events')).status).toBe(200)
  client.abort()
  await expect
    .poll(async () => {
      const again = await jobs.ask(job['id'], bearer('a'), {}, '/events')
      await again.body?.cancel()
      return again.status
    })
    .toBe(200)
})

it('a server without keys has no bound, as all is of one account', async () => {
  const jobs = openJobServer()
  jobs.hold()
  const { job } = await jobs.start(BODY)
  const client = new AbortController()
  for (let open = 0; open < 101; open++) {
    expect((await jobs.ask(job['id'], {}, { signal: client.signal }, '/events')).status).toBe(200)
  }
  client.abort()
})

it('events of a job that is removed before they begin are not found', async () => {
  const store = new MemoryJobStore()
  const jobs = openJobServer({ jobs: { store } })
  const { job } = await jobs.start(BODY)
  await jobs.until(job['id'], 'succeeded')
  const read = store.read.bind(store)
  Object.assign(store, {
    async read(id: string) {
      const found = await read(id)
      await store.remove(id)
      return found
    },
  })
  const response = await jobs.ask(job['id'], {}, {}, '/events')
  expect([response.status, (await json(response))['error_type']]).toEqual([404, 'not_found'])
  expect(jobs.entries.at(-1)).not.toHaveProperty('error')
})
