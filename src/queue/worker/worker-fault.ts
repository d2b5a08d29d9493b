import type { TesseraError } from '../../errors/index.ts'
import { showFault } from '../../http/describe-fault.ts'
import type { QueuedKind } from '../queued-call.ts'

/** A call that failed by a fault of its worker, without anything of its content. */
export interface WorkerFault {
  /** Id of the call. The error that the front logs names it in its cause. */
  readonly callId: string
  /** What the call was to do. */
  readonly kind: QueuedKind
  /** The trace that the call belongs to, in 32 hexadecimal digits, where the front has one. */
  readonly traceId?: string
  /** What went wrong, with its cause, of which the front is told no more than the message. */
  readonly error: TesseraError
}

/** How a worker tells of faults where its app takes none: on stderr, as fronts have the message alone. */
export function showWorkerFault({ callId, kind, traceId, error }: WorkerFault): void {
  const call = [kind, callId, ...(traceId === undefined ? [] : [`trace ${traceId}`])].join(' ')
  showFault(`${error.status} ${call}`, error)
}
