import { AbortedError } from '../../errors/index.ts'
import { Refusal } from '../refusal.ts'
import { COPIES, type OpenShare } from './body-rooms.ts'

/**
 * The bytes of a request's body. What it says to be long is admitted before any of it is read, and it is counted on the
 * way, so that one over the limit is refused before it is here.
 *
 * @throws Refusal (413), also of a framework in front; OverloadedError where other bodies fill the memory; AbortedError when
 * the client hung up
 */
export async function readBody(request: Request, maxBytes: number, share: OpenShare): Promise<Uint8Array<ArrayBuffer>> {
  const header = Number(request.headers.get('content-length'))
  const announced = Number.isSafeInteger(header) && header > 0 ? header : 0
  await share.admit(announced * COPIES, request.signal)
  let bytes = new Uint8Array(announced)
  let length = 0
  for await (const chunk of readChunks(request)) {
    const end = length + chunk.byteLength
    if (end > maxBytes) throw tooLarge(maxBytes)
    if (end > bytes.byteLength) {
      // A body in chunks does not say how long it is: its memory grows by half.
      const larger = new Uint8Array(Math.min(maxBytes, Math.max(end, Math.ceil(bytes.byteLength * 1.5), 65_536)))
      share.grow((larger.byteLength - bytes.byteLength) * COPIES)
      larger.set(bytes.subarray(0, length))
      bytes = larger
    }
    bytes.set(chunk, length)
    length = end
  }
  return bytes.subarray(0, length)
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

async function* readChunks(request: Request): AsyncGenerator<Uint8Array, void> {
  if (request.body === null) return
  const reader = (request.body as ReadableStream<Uint8Array>).getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch((cause: unknown) => {
        throw toFailure(cause)
      })
      if (done) return
      yield value
    }
  } finally {
    // Also where the reader of this body stops: a rest that nobody takes would hold up the connection.
    void reader.cancel().catch(() => {})
  }
}

/** Frameworks with a limit of their own, such as SvelteKit's adapter for Node, end the body with an error that says so. */
function toFailure(cause: unknown): Refusal | AbortedError {
  if (cause instanceof Error && 'status' in cause && cause.status === 413) {
    const reason = `must be no larger than the framework takes that the service is mounted in: ${cause.message}`
    return new Refusal(413, 'invalid_request', `body: ${reason}`)
  }
  return new AbortedError('the request ended before its body was complete', { cause })
}

function tooLarge(maxBytes: number): Refusal {
  return new Refusal(413, 'invalid_request', `body: must be at most ${maxBytes} bytes`)
}
