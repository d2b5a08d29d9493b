import type * as z from 'zod'
import { COMMENT_MS, EVENT_HEADERS, startEventStream } from '../event-stream.ts'
import { createPiecesResponse } from '../json-response.ts'
import type { Call, Route } from '../route.ts'
import type { jobListSchema } from './job-wire.ts'
import { toJobWire, writeJobWire } from './job-wire.ts'
import type { Job } from './job.ts'
import type { Jobs } from './jobs.ts'
import { OpenStreams } from './open-streams.ts'

const KEY = { access: 'key', dialect: 'openai' } as const

/** Event streams that a key may have open in one process. */
const MOST_STREAMS = 100

/**
 * What is under `/v1/jobs`: an account's own jobs, and those of no other.
 *
 * @param hasKeys whether accounts are told apart; without that one account has all there is
 */
export function createJobRoutes(jobs: Jobs, hasKeys: boolean): Route[] {
  const streams = new OpenStreams(hasKeys ? MOST_STREAMS : Number.POSITIVE_INFINITY)
  const path = '/v1/jobs/{id}'
  return [
    { ...KEY, method: 'GET', path: '/v1/jobs', handle: (call) => list(jobs, call) },
    { ...KEY, method: 'GET', path, handle: (call) => read(jobs, call) },
    { ...KEY, method: 'DELETE', path, handle: (call) => cancel(jobs, call) },
    { ...KEY, method: 'GET', path: `${path}/events`, handle: (call) => stream(jobs, streams, call) },
  ]
}

async function list(jobs: Jobs, { caller, signal }: Call): Promise<Response> {
  const { bytes, leave } = await jobs.results.list(caller.id, signal, async () => {
    const data = (await jobs.list(caller.id)).map(toJobWire)
    return Buffer.from(JSON.stringify({ object: 'list', data } satisfies z.output<typeof jobListSchema>))
  })
  return createPiecesResponse([bytes], {}, { signal, leave })
}

async function read(jobs: Jobs, { caller, params, method, signal }: Call): Promise<Response> {
  const found = await jobs.find(caller.id, params.id!)
  // Whoever asks for the headers alone has not got the result.
  if (method === 'HEAD') return new Response(null, { headers: { 'content-type': 'application/json' } })
  const { job, leave } = await jobs.results.whole(found, signal)
  return createPiecesResponse(writeJobWire(job), {}, { signal, leave, taken: () => fetchedHere(jobs, job) })
}

async function cancel(jobs: Jobs, { caller, params, signal }: Call): Promise<Response> {
  const { job, leave } = await jobs.cancel(caller.id, params.id!, signal)
  return createPiecesResponse(writeJobWire(job), {}, { signal, leave })
}

/** Whoever asks how a batch stands has not come for its results, which are lines under a path of their own. */
async function fetchedHere(jobs: Jobs, job: Job): Promise<void> {
  if (job.counts === undefined || job.bytes === 0) await jobs.fetched(job)
}

/**
 * An event for every change, named `job.` and the status, with the job as its data; the last one has the result. Previews of
 * pictures are the events that a request with `stream: true` gets, those before this stream began first.
 */
async function stream(jobs: Jobs, streams: OpenStreams, call: Call): Promise<Response> {
  const { caller, params, method } = call
  const id = params.id!
  // Before the stream begins, as an unknown job has a status of its own.
  await jobs.find(caller.id, id)
  // A stream that nobody reads would watch the job to its end.
  if (method === 'HEAD') return new Response(null, { headers: EVENT_HEADERS })
  const leave = streams.enter(caller.id)
  return startEventStream(call, async ({ comment, event, pieces }, signal) => {
    const timer = setInterval(() => comment('waiting'), COMMENT_MS).unref()
    try {
      let shown = 0
      for await (const job of jobs.watch(caller.id, id, signal)) {
        const { partials = [] } = job
        for (const partial of partials.slice(shown)) event(partial.type, partial)
        shown = Math.max(shown, partials.length)
        const whole = await jobs.results.whole(job, signal)
        pieces(`job.${job.status}`, writeJobWire(whole.job), () => {
          whole.leave()
          if (!signal.aborted && !call.signal.aborted) void fetchedHere(jobs, job)
        })
      }
    } finally {
      clearInterval(timer)
      leave()
    }
  })
}
