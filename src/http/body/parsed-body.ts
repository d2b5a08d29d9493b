import { InvalidRequestError, type TesseraError } from '../../errors/index.ts'
import type { Refusal } from '../refusal.ts'

/** Where an adapter leaves a body that a framework has parsed, on the request itself: a body can be read only once. */
const PARSED_BODY = Symbol.for('tessera.parsed-body')

/** What a framework made of a body: its value, or why it could not read it. */
export type ParsedBody = { readonly value: unknown } | { readonly failure: TesseraError | Refusal }

interface Parsed {
  [PARSED_BODY]?: ParsedBody
}

/** Marks a request as read. Writing the value out again would cost time, and the stack where it nests deeply. */
export function setParsedBody(request: Request, body: ParsedBody): Request {
  ;(request as Parsed)[PARSED_BODY] = body
  return request
}

export function getParsedBody(request: Request): ParsedBody | undefined {
  return (request as Parsed)[PARSED_BODY]
}

/** Whether something in front of the service took the body of a web request, or is about to. */
export function isTaken({ bodyUsed, body }: Request): boolean {
  return bodyUsed || body?.locked === true
}

/** Why there is nothing to read, though the client sent it. */
export function readElsewhere(): InvalidRequestError {
  const reason =
    'was read by something in front of the service, which left nothing of it: the app must mount the service before it, ' +
    'or read a clone() of a web request'
  return new InvalidRequestError('body', reason, { loc: [] })
}
