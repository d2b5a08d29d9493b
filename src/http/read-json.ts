import { InvalidRequestError } from '../errors/index.ts'
import { getParsedBody } from './parsed-body.ts'
import { checkBodyHeaders, readBody } from './read-body.ts'
import { Refusal } from './refusal.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i

/**
 * The JSON body of a request.
 *
 * @throws Refusal (413, 415); InvalidRequestError for a body that is no JSON; AbortedError when the client hung up
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const parsed = getParsedBody(request)
  const { headers } = request
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'invalid_request', 'body: must be sent with "Content-Type: application/json"')
  }
  checkBodyHeaders(headers, maxBytes)
  if (parsed) return parsed.value
  const text = await readText(request, maxBytes)
  try {
    return JSON.parse(text)
  } catch {
    // Without its cause: the message of a SyntaxError quotes the body.
    throw new InvalidRequestError('body', text === '' ? 'must be JSON, got an empty body' : 'must be valid JSON', {
      loc: [],
    })
  }
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  for await (const chunk of readBody(request, maxBytes)) text += decode(() => decoder.decode(chunk, { stream: true }))
  return text + decode(() => decoder.decode())
}

function decode(read: () => string): string {
  try {
    return read()
  } catch {
    throw new InvalidRequestError('body', 'must be UTF-8 text', { loc: [] })
  }
}
