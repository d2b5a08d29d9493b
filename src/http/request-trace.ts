import type { CallTimings } from '../engine/index.ts'
import type { TesseraError } from '../errors/index.ts'
import type { Allowance } from './limits/count-requests.ts'
import type { Refusal } from './refusal.ts'
import type { Route } from './route.ts'
import type { TraceContext } from './trace-context.ts'
import type { RequestSpan } from './tracing.ts'

/** What is found out about a request while it is answered. */
export interface RequestTrace {
  readonly requestId: string
  readonly method: string
  /** `performance.now()` when the request came. */
  readonly started: number
  route?: Route
  account?: string
  error?: TesseraError | Refusal | undefined
  units?: number
  timings?: CallTimings
  /** Set for keys that have so many requests a minute. */
  requests?: Allowance
  /** Set for keys that may have so many tokens read a minute, where a request had its tokens counted. */
  tokens?: Allowance
  context?: TraceContext | undefined
  span?: RequestSpan | undefined
  /** Length of the body, as the request says it. */
  bytesIn?: number
  /** Set for a response whose body goes on: settles at its end, with what went wrong on the way. */
  ended?: Promise<TesseraError | Refusal | undefined>
}
