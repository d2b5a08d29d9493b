export const QUESTIONS = { urgent: { type: 'noul', instructions: 'Is it urgent?' } } as const

/** A request body that fits the format. */
export const BODY = { state: 'The invoice is wrong', questions: QUESTIONS } as const

/** Paths of the routes that answer with pictures, each with a body that fits the format. */
export const IMAGE_BODIES = [
  ['/v1/images/generations', { prompt: 'A red fox' }],
  ['/v1/images/edits', { prompt: 'Make it blue', image: 'aGVsbG8=' }],
] as const

/** A POST of JSON, or of a text as it is. */
export function post(
  body: unknown,
  { path = '/v1/systemone', ...init }: RequestInit & { path?: string } = {},
): Request {
  const headers = new Headers(init.headers)
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  return new Request(`http://server${path}`, {
    method: 'POST',
    ...init,
    headers,
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

export function get(path: string, init: RequestInit = {}): Request {
  return new Request(`http://server${path}`, init)
}

export function bearer(key: string): { readonly authorization: string } {
  return { authorization: `Bearer ${key}` }
}

/** The body of a response as it went out. Not typed: tests compare it. */
export async function json(response: Response | Promise<Response>): Promise<Record<string, unknown>> {
  return (await (await response).json()) as Record<string, unknown>
}
