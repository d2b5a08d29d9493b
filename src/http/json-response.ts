interface Head {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

/** A JSON response that says how long it is, so that nobody on its way has to send it in chunks. */
export function createJsonResponse(value: unknown, head: Head = {}): Response {
  const text = JSON.stringify(value)
  return createResponse(text, Buffer.byteLength(text), head)
}

/** The same of JSON, or of what `head` says, in pieces, each of which is handed out when the one before it was read. */
export function createPiecesResponse(pieces: readonly Uint8Array[], head: Head = {}): Response {
  const bytes = pieces.reduce((sum, { length }) => sum + length, 0)
  return createLateResponse(pieces.values(), bytes, head)
}

/** The same of pieces of which each is made when the one before it was read. @param bytes of all of them */
export function createLateResponse(pieces: Iterator<Uint8Array>, bytes: number, head: Head = {}): Response {
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const { done, value } = pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
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
