/** Where an adapter leaves a body that a framework has parsed, on the request itself: a body can be read only once. */
const PARSED_BODY = Symbol.for('tessera.parsed-body')

interface Parsed {
  [PARSED_BODY]?: { readonly value: unknown }
}

/** Marks a request as read. Writing the value out again would cost time, and the stack where it nests deeply. */
export function setParsedBody(request: Request, value: unknown): Request {
  ;(request as Parsed)[PARSED_BODY] = { value }
  return request
}

export function getParsedBody(request: Request): { readonly value: unknown } | undefined {
  return (request as Parsed)[PARSED_BODY]
}
