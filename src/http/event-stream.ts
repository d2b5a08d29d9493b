import { createErrorBody } from './error-response.ts'
import { toFailure } from './jobs/job-outcome.ts'
import { cut } from './json-response.ts'
import type { Call } from './route.ts'
import { UnreadStream } from './unread-stream.ts'

export interface EventWriter {
  /** What clients that wait for events never see. */
  comment(text: string): void
  event(name: string, data: object): void
  /**
   * An event whose data is JSON in pieces that follow each other. They are kept as they are until the client reads them.
   *
   * @param leave called when it has, or has gone
   */
  pieces(name: string, data: readonly Uint8Array[], leave: () => void): void
}

/** How often a stream says that it goes on: proxies close a connection on which nothing comes for a minute. */
export const COMMENT_MS = 15_000

/** `x-accel-buffering` keeps nginx from holding events back, `no-transform` what compresses responses, such as Express's. */
export const EVENT_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Answers with server-sent events. The response begins with the first thing written, so that what fails before has a
 * status of its own; what fails later becomes an `error` event, as OpenAI's clients read it.
 *
 * @param work Its signal fires when the client hangs up.
 * @throws what `work` threw before it wrote anything
 */
export async function startEventStream(
  call: Pick<Call, 'signal' | 'holdUntil'>,
  work: (writer: EventWriter, signal: AbortSignal) => Promise<void>,
): Promise<Response> {
  const cancelled = new AbortController()
  const signal = AbortSignal.any([call.signal, cancelled.signal])
  const stream = new UnreadStream(call.signal, () => cancelled.abort(new Error('the client hung up')))
  let begin = () => {}
  const begun = new Promise<'begun'>((resolve) => {
    begin = () => resolve('begun')
  })
  let isClosed = false
  const write = (parts: Iterable<Uint8Array>, leave?: () => void) => {
    // Work that another client joined goes on, and would fail with what it tells this one.
    if (isClosed || cancelled.signal.aborted) return leave?.()
    stream.write(parts, leave)
    begin()
  }
  const writer: EventWriter = {
    comment: (text) => write([Buffer.from(`: ${text}\n\n`)]),
    // JSON has no line breaks, which would end the data.
    event: (name, data) => write([Buffer.from(`event: ${name}\ndata: ${JSON.stringify(data)}\n\n`)]),
    pieces: (name, data, leave) =>
      write(cut([Buffer.from(`event: ${name}\ndata: `), ...data, Buffer.from('\n\n')]), leave),
  }
  const ended = work(writer, signal).then(() => undefined, toFailure)
  const first = await Promise.race([begun, ended])
  if (first !== 'begun' && first !== undefined) throw first
  call.holdUntil(
    ended.then((error) => {
      if (error) writer.event('error', createErrorBody(error, 'openai'))
      if (!cancelled.signal.aborted) stream.end()
      isClosed = true
      return error
    }),
  )
  return new Response(stream.readable, { headers: EVENT_HEADERS })
}
