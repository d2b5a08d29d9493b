import { AbortedError } from '../errors/index.ts'
import { Refusal } from './refusal.ts'

/**
 * The body of a request as it comes in. It is counted on the way, so that one over the limit is refused before it is
 * here.
 *
 * @throws Refusal (413, 415); AbortedError when the client hung up
 */
export async function* readBody(request: Request, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  if (request.body === null) return
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  let bytes = 0
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw new AbortedError('the request ended before its body was complete', { cause })
      })
      if (done) return
      bytes += value.byteLength
      if (bytes > maxBytes) throw tooLarge(maxBytes)
      yield value
    }
  } finally {
    // Also where the reader of this body stops: a rest that nobody takes would hold up the connection.
    void reader.cancel().catch(() => {})
  }
}

/**
 * Refuses by its headers alone a body that is packed or says to be too large.
 *
 * @throws Refusal (413, 415)
 */
export function checkBodyHeaders(headers: Headers, maxBytes: number): void {
  if ((headers.get('content-encoding') ?? 'identity') !== 'identity') {
    throw new Refusal(415, 'invalid_request', 'body: must be sent without a Content-Encoding', {
      'accept-encoding': 'identity',
    })
  }
  if (Number(headers.get('content-length')) > maxBytes) throw tooLarge(maxBytes)
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'invalid_request', `body: must be at most ${maxBytes} bytes`)
}
