import { parentPort } from 'node:worker_threads'
import { divideLines } from './divide-lines.ts'
import { type BodyKind, parseBody, type ParsedBytes } from './parse-body.ts'
import { measureShape } from './parse-json.ts'
import type { BodyLine } from './parse-lines.ts'

export interface ParseJob {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kind: BodyKind
}

/** Asks for more lines of a body. */
export interface MoreWanted {
  readonly id: number
}

/** What came of a body, or some of its lines: the thread that is sent all of a batch at once stands still meanwhile. */
export type ParseAnswer = { readonly id: number } & (
  | ParsedBytes
  | { readonly lines: readonly BodyLine[]; readonly isLast: boolean }
)

/** Bodies that are not read yet. */
const jobs: ParseJob[] = []

/** Lines that are not sent yet, by their body. */
const left = new Map<number, BodyLine[][]>()

// A thread that reads large bodies, so that the one that answers requests does not have to.
parentPort!.on('message', (message: ParseJob | MoreWanted) => {
  if ('kind' in message) jobs.push(message)
  else sendLines(message.id)
  // Not between the parts of another body: it would wait for all that come meanwhile, once a part.
  while (left.size === 0 && jobs.length > 0) read(jobs.shift()!)
})

function read({ id, bytes, kind }: ParseJob): void {
  // Lines are measured one by one.
  const isOneValue = kind.type === 'json' || kind.type === 'pictures'
  const { refused = undefined } = isOneValue ? measureShape(bytes) : {}
  const parsed = refused === undefined ? parseBody(bytes, kind) : { refused }
  if (kind.type === 'lines' && 'value' in parsed) {
    left.set(id, divideLines(parsed.value as BodyLine[]))
    return sendLines(id)
  }
  // Pictures are sent on as what the body came in; in place of other values it is gone from here.
  send({ id, ...parsed }, [bytes.buffer])
}

function sendLines(id: number): void {
  const parts = left.get(id)!
  const lines = parts.shift()!
  const isLast = parts.length === 0
  if (isLast) left.delete(id)
  send({ id, lines, isLast })
}

function send(answer: ParseAnswer, moved: ArrayBuffer[] = []): void {
  parentPort!.postMessage(answer, moved)
}
