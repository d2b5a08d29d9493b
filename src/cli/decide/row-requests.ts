import { InvalidRequestError } from '../../errors/index.ts'
import type { DecisionRequestInput } from '../../schemas/index.ts'
import { readRows } from './read-rows.ts'

/** A row as the engine is asked it. */
export interface AskedRow {
  readonly request: DecisionRequestInput
  /** By which a later run knows what was asked. */
  readonly asked: string
}

/**
 * The requests of a file's rows: with questions in `common` each row is a state, without them a whole request.
 *
 * @throws InvalidRequestError naming the line that is neither
 */
export async function* requestsOf(
  file: string,
  common: Readonly<Record<string, unknown>>,
  toAsked: (row: unknown) => string,
): AsyncGenerator<AskedRow, void, undefined> {
  const hasQuestions = common.questions !== undefined
  for await (const { value, line } of readRows(file)) {
    if (hasQuestions) refuseRequest(value, `${file}: line ${line}`)
    else refuseState(value, `${file}: line ${line}`)
    // The engine checks what it is given.
    const request = hasQuestions ? { ...common, state: value } : { ...(value as object), ...common }
    yield { request: request as unknown as DecisionRequestInput, asked: toAsked(value) }
  }
}

/**
 * Refuses a whole request, or a labelled row, where each row is a state: it would be read with its labels. A record with a
 * field of that name, such as the state of an order, is a state like others.
 */
function refuseRequest(row: unknown, place: string): void {
  if (!isObject(row) || !('state' in row)) return
  const beside = ['questions', 'labels'].find((name) => isObject(row[name]))
  if (beside === undefined) return
  const remedy = beside === 'questions' ? 'leave --questions out, or give the states alone' : 'give the states alone'
  const reason = `has "state" beside "${beside}", where with --questions each line is the state itself; ${remedy}`
  throw new InvalidRequestError('--each', `${place} ${reason}`)
}

/** Refuses what can only be a state where each row must be a request. */
function refuseState(row: unknown, place: string): void {
  if (isObject(row) && ('questions' in row || 'state' in row)) return
  const reason = 'must be a request with "state" and "questions"; give the questions of bare states with --questions'
  throw new InvalidRequestError('--each', `${place} ${reason}`)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
