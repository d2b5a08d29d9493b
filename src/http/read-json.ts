import { AbortedError, InvalidRequestError } from '../errors/index.ts'
import { getParsedBody } from './parsed-body.ts'
import { Refusal } from './refusal.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i

/**
 * The JSON body of a request. It is counted as it comes in, so that a body over the limit is refused before it is here.
 *
 * @throws Refusal (413, 415); InvalidRequestError for a body that is no JSON; AbortedError when the client hung up
 */
export async function readJson(request: Request, maxBytes: number): Promise<unknown> {
  const parsed = getParsedBody(request)
  checkHeaders(request.headers, maxBytes)
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

function checkHeaders(headers: Headers, maxBytes: number): void {
  if (!JSON_TYPE.test(headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'invalid_request', 'body: must be sent with "Content-Type: application/json"')
  }
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new Refusal(415, 'invalid_request', 'body: must be sent without a Content-Encoding', {
      'accept-encoding': 'identity',
    })
  }
  if (Number(headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes)
}

async function readText(request: Request, maxBytes: number): Promise<string> {
  if (request.body === null) return ''
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new AbortedError('the request ended before its body was complete', { cause })
    })
    if (done) return text + decode(() => decoder.decode())
    bytes += value.byteLength
    if (bytes > maxBytes) {
      void reader.cancel().catch(() => {})
      throw tooLarge(maxBytes)
    }
    text += decode(() => decoder.decode(value, { stream: true }))
  }
}

function decode(read: () => string): string {
  try {
    return read()
  } catch {
    throw new InvalidRequestError('body', 'must be UTF-8 text', { loc: [] })
  }
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'invalid_request', `body: must be at most ${maxBytes} bytes`)
}
