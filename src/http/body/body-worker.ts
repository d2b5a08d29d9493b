import { parentPort } from 'node:worker_threads'
import { type BodyKind, parseBody } from './parse-body.ts'
import { measureShape } from './parse-json.ts'

export interface ParseJob {
  readonly id: number
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly kind: BodyKind
}

// A thread that reads large bodies, so that the one that answers requests does not have to.
parentPort!.on('message', ({ id, bytes, kind }: ParseJob) => {
  // Lines are measured one by one.
  const isOneValue = kind.type === 'json' || kind.type === 'pictures'
  const { refused = undefined } = isOneValue ? measureShape(bytes) : {}
  const parsed = refused === undefined ? parseBody(bytes, kind) : { refused }
  // Pictures are sent on as what the body came in; in place of other values it is gone from here.
  parentPort!.postMessage({ id, ...parsed }, [bytes.buffer])
})
