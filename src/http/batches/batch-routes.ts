import { createDecisionParser } from '../../schemas/decision-request.ts'
import type { OptionLimits } from '../../schemas/index.ts'
import { KEEP_MS, startJob } from '../jobs/background-route.ts'
import { isOver } from '../jobs/job.ts'
import type { Jobs } from '../jobs/jobs.ts'
import { JsonList } from '../json-bytes.ts'
import { createLateResponse } from '../json-response.ts'
import { Refusal } from '../refusal.ts'
import type { Call, Route } from '../route.ts'
import { type BatchParts, createBatchAnswer } from './answer-batch.ts'

const PATH = '/v1/batches'

/** `POST /v1/batches`: decisions as JSON Lines, answered as one job; and what came of its lines. */
export function createBatchRoutes(
  { decisions, requests }: Pick<BatchParts, 'decisions' | 'requests'>,
  limits: OptionLimits,
  jobs: Jobs,
): Route[] {
  const dialect = 'openai'
  const parse = createDecisionParser({ ...limits, hidesMembers: true })
  jobs.handle(PATH, { dialect, answer: createBatchAnswer({ decisions, requests, parse, dialect }) })
  return [
    {
      method: 'POST',
      path: PATH,
      access: 'work',
      scope: 'decide',
      dialect,
      takes: 'lines',
      async handle(call) {
        const { keepMs = KEEP_MS } = call.preferences
        return startJob(jobs, call, { path: PATH, keepMs, body: await call.readBody() })
      },
    },
    {
      method: 'GET',
      path: `${PATH}/{id}/results`,
      access: 'key',
      dialect,
      handle: (call) => readResults(jobs, call),
    },
  ]
}

async function readResults(jobs: Jobs, { caller, params, method, signal }: Call): Promise<Response> {
  const found = await jobs.find(caller.id, params['id']!)
  if (found.path !== PATH) throw new Refusal(404, 'not_found', 'this job is no batch; GET /v1/jobs/{id} has its result')
  if (!isOver(found) || found.bytes === 0) {
    const reason = !isOver(found) ? 'is not over' : found.status === 'cancelled' ? 'was cancelled' : 'failed'
    throw new Refusal(404, 'not_found', `the batch ${reason}, and has no results; GET /v1/jobs/{id} says how it stands`)
  }
  const headers = { 'content-type': 'application/jsonl' }
  if (method === 'HEAD') return new Response(null, { headers })
  const { job, leave } = await jobs.results.whole(found, signal)
  const list = JsonList.read(job.result)
  return createLateResponse(
    list.lines(),
    list.linesLength,
    { headers },
    { signal, leave, taken: () => jobs.fetched(job) },
  )
}
