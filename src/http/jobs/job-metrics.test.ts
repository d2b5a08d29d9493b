import { expect, it } from 'vitest'
import { openJobServer } from '../test-support/job-server.ts'
import { BODY, get } from '../test-support/requests.ts'

it('a job is a request that is answered until it is over, with the status of its error', async () => {
  const jobs = openJobServer()
  const metrics = async () => (await jobs.server.fetch(get('/metrics'))).text()
  jobs.hold()
  const { response, job } = await jobs.start(BODY)
  expect(response.status).toBe(202)
  // The one that asks is the other.
  expect(await metrics()).toContain('tessera_http_requests_in_flight 2\n')
  jobs.stub.failure = new Error('broken')
  jobs.open()
  await jobs.until(job['id'], 'failed')
  const route = 'route="/v1/systemone"'
  await expect.poll(metrics).toContain(`tessera_http_requests_total{${route},method="POST",status="500"} 1\n`)
  expect(await metrics()).toContain(`tessera_http_request_duration_seconds_count{${route},status="5xx"} 1\n`)
})
