import { InvalidRequestError } from '../../errors/index.ts'
import type { DecisionRequestInput } from '../../schemas/index.ts'
import { readRows } from './read-rows.ts'
import { isObject, refuseRequest } from './refuse-request.ts'

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
  const { questions } = common
  const hasQuestions = questions !== undefined
  for await (const { value, line } of readRows(file)) {
    const source = `${file}: line ${line}`
    if (hasQuestions)
      refuseRequest(value, { path: '--each', source, state: 'each line', alone: 'the states', questions })
    else refuseState(value, source)
    // The engine checks what it is given.
    const request = hasQuestions ? { ...common, state: value } : { ...(value as object), ...common }
    yield { request: request as unknown as DecisionRequestInput, asked: toAsked(value) }
  }
}

/** Refuses what can only be a state where each row must be a request. */
function refuseState(row: unknown, place: string): void {
  if (isObject(row) && ('questions' in row || 'state' in row)) return
  const reason = 'must be a request with "state" and "questions"; give the questions of bare states with --questions'
  throw new InvalidRequestError('--each', `${place} ${reason}`)
}
