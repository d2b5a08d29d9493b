import { TesseraError, toTesseraError } from '../../errors/index.ts'
import { WARNINGS_HEADER } from '../../schemas/warning.ts'
import { createErrorBody, type Dialect } from '../error-response.ts'
import { JsonBytes } from '../json-bytes.ts'
import { Refusal } from '../refusal.ts'
import type { Job } from './job.ts'

/** What a job becomes with the response to its request. */
export async function describeResult(response: Response): Promise<Partial<Job>> {
  const result = JsonBytes.ofText(await response.text())
  const warnings = response.headers.get(WARNINGS_HEADER)
  return {
    status: 'succeeded',
    endedAt: Date.now(),
    result,
    bytes: result.bytes.length,
    ...(warnings !== null && { warnings: JSON.parse(warnings) as unknown }),
  }
}

/** What to say of a failure: where the service stopped the job, why; a client that stops one has no reason to give. */
export function explainFailure(thrown: unknown, { reason }: AbortSignal): unknown {
  return TesseraError.isInstance(reason) ? reason : thrown
}

/** As clients and the log are told of it. */
export function toFailure(thrown: unknown): TesseraError | Refusal {
  return thrown instanceof Refusal ? thrown : toTesseraError(thrown)
}

/** What it becomes where there is none. @param signal that stops it */
export function describeFailure(thrown: unknown, { aborted, reason }: AbortSignal, dialect: Dialect): Partial<Job> {
  const endedAt = Date.now()
  if (aborted && !TesseraError.isInstance(reason)) return { status: 'cancelled', endedAt }
  const error = toFailure(thrown)
  return { status: 'failed', endedAt, error: { status: error.status, ...createErrorBody(error, dialect) } }
}
