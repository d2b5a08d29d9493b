interface Head {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Who reads a response. */
interface Reader {
  /** Fires when the client has gone. */
  readonly signal: AbortSignal
  /** Called when the client has read the response, or has gone; it may be called again. */
  leave(): void
  /** Awaited when the client has taken all of the response, and not where it has gone before. */
  taken?(): Promise<void>
}

/** Bytes that are handed out at a time: what a connection was handed is held until its client reads it. */
const PIECE_BYTES = 2 ** 16

/** A JSON response that says how long it is, so that nobody on its way has to send it in chunks. */
export function createJsonResponse(value: unknown, head: Head = {}): Response {
  const text = JSON.stringify(value)
  return createResponse(text, Buffer.byteLength(text), head)
}

/** The same of JSON, or of what `head` says, in pieces, each of which is handed out when the one before it was read. */
export function createPiecesResponse(pieces: readonly Uint8Array[], head: Head = {}, reader?: Reader): Response {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  return createLateResponse(cut(pieces), bytes, head, reader)
}

/** Pieces of which none is large. */
export function* cut(pieces: readonly Uint8Array[]): Generator<Uint8Array> {
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += PIECE_BYTES) yield piece.subarray(start, start + PIECE_BYTES)
  }
}

/** The same of pieces of which each is made when the one before it was read. @param bytes of all of them */
export function createLateResponse(pieces: Iterator<Uint8Array>, bytes: number, head: Head, reader?: Reader): Response {
  reader?.signal.addEventListener('abort', () => reader.leave(), { once: true })
  if (reader?.signal.aborted) reader.leave()
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = pieces.next()
        if (!done) return controller.enqueue(value)
        if (!reader?.signal.aborted) await reader?.taken?.()
        controller.close()
        reader?.leave()
      },
      cancel: () => reader?.leave(),
    },
    { highWaterMark: 0 },
  )
  return createResponse(body, bytes, head)
}

function createResponse(body: string | ReadableStream<Uint8Array>, bytes: number, head: Head): Response {
  const { status = 200, headers = {} } = head
  return new Response(body, {
    status,
    headers: { 'content-type': 'application/json', ...headers, 'content-length': String(bytes) },
  })
}
