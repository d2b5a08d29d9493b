import { parentPort } from 'node:worker_threads'
import { type BodyKind, parseBody, refuseShape } from './parse-body.ts'

export interface ParseJob {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kind: BodyKind
}

// A thread that reads large bodies, so that the one that answers requests does not have to.
parentPort!.on('message', ({ id, bytes, kind }: ParseJob) => {
  const reason = kind.type === 'form' ? undefined : refuseShape(bytes)
  const parsed = reason === undefined ? parseBody(bytes, kind) : { refused: reason }
  // Pictures are sent on as what the body came in; in place of other values it is gone from here.
  parentPort!.postMessage({ id, ...parsed }, [bytes.buffer])
})
