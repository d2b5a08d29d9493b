import { expect, it, vi } from 'vitest'
import { runJob } from './run-job.ts'
import type { Service } from './service.ts'

const NEVER = new Promise<never>(() => {})
const JOB = { id: 'j', status: 'queued' }

type Answers = Record<'POST' | 'GET' | 'DELETE', (signal?: AbortSignal) => Promise<unknown>>

/** Runs a job, and stops it when the service is asked by this method. */
async function stopAt(stopped: keyof Answers, answers: Partial<Answers>) {
  const controller = new AbortController()
  const sent: string[] = []
  const service: Service = {
    send(path, { method = 'GET', signal } = {}) {
      sent.push(`${method} ${path}`)
      if (method === stopped) setImmediate(() => controller.abort(new Error('enough')))
      return (answers[method] ?? (async () => JOB))(signal)
    },
  }
  await expect(runJob(service, 'v1/systemone', {}, controller.signal)).rejects.toThrow(/^enough$/)
  return sent
}

it('a job whose start has no answer yet ends with its signal, and is cancelled once it is known', async () => {
  let answer = (_job: unknown) => {}
  const started = new Promise((resolve) => (answer = resolve))
  const sent = await stopAt('POST', { POST: () => started })
  expect(sent).toEqual(['POST v1/systemone'])
  answer(JOB)
  await vi.waitUntil(() => sent.length === 2, { timeout: 10_000 })
  expect(sent).toEqual(['POST v1/systemone', 'DELETE v1/jobs/j'])
}, 20_000)

it.each([
  ['fails', () => Promise.reject(new Error('away'))],
  ['has no answer', () => NEVER],
])(
  'a job whose cancelling %s ends with what its signal says',
  async (_, DELETE) => {
    const GET = (signal?: AbortSignal) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason as Error)))
    expect(await stopAt('GET', { GET, DELETE })).toEqual(['POST v1/systemone', 'GET v1/jobs/j', 'DELETE v1/jobs/j'])
  },
  20_000,
)
