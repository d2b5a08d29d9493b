import { parentPort } from 'node:worker_threads'
import { type BodyKind, parseBody, refuseShape } from './parse-body.ts'

export interface ParseJob {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kind: BodyKind
}

// A thread that reads large bodies, so that the one that answers requests does not have to.
parentPort!.on('message', ({ id, bytes, kind }: ParseJob) => {
  const reason = kind.type === 'json' ? refuseShape(bytes) : undefined
  const parsed = reason === undefined ? parseBody(bytes, kind) : { refused: reason }
  parentPort!.postMessage({ id, ...parsed })
})
