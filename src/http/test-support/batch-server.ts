import { expect } from 'vitest'
import { openJobServer } from './job-server.ts'
import { BODY, get, json, post } from './requests.ts'

type Headers = Readonly<Record<string, string>>

/** A line of a batch that fits the format. */
export function line(custom_id: string, change: object = {}): string {
  return JSON.stringify({ custom_id, ...BODY, ...change })
}

/** A server of jobs, and what tests of batches ask of it. */
export function openBatchServer(options: Parameters<typeof openJobServer>[0] = {}) {
  const jobs = openJobServer(options)

  const sendBatch = (body: string, headers: Headers = {}) => {
    const init = { path: '/v1/batches', headers: { 'content-type': 'application/jsonl', ...headers } }
    return jobs.server.fetch(post(body, init))
  }

  return {
    ...jobs,
    sendBatch,
    /** Sends a batch that is taken. */
    async startBatch(body: string, headers: Headers = {}): Promise<string> {
      const response = await sendBatch(body, headers)
      const job = await json(response)
      expect([response.status, response.headers.get('location')]).toEqual([202, `/v1/jobs/${String(job['id'])}`])
      return String(job['id'])
    },
    /** Its results, by the numbers of their lines. */
    async resultsOf(id: string, headers: Headers = {}) {
      const response = await jobs.server.fetch(get(`/v1/batches/${id}/results`, { headers }))
      expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/jsonl'])
      const lines = (await response.text()).split('\n').filter((text) => text !== '')
      return new Map(lines.map((text) => JSON.parse(text)).map((result) => [result.line, result]))
    },
  }
}

export type BatchServer = ReturnType<typeof openBatchServer>
