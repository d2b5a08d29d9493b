/**
 * The service in an app of Express.
 *
 * @module tessera-onnx/express
 */
import type { ServerResponse } from 'node:http'
import { AbortedError, InvalidRequestError, type TesseraError } from '../../errors/index.ts'
import { setParsedBody } from '../body/parsed-body.ts'
import { Refusal } from '../refusal.ts'
import { type FetchServer, requireServer } from './fetch-server.ts'
import { type NodeRequest, sendWebResponse, toWebRequest } from './node-messages.ts'
import { type NodeListener, toNodeListener } from './node.ts'

/**
 * Middleware for Express: `app.use('/ai', toExpressHandler(server))`. It answers everything below the path it is
 * mounted at, with or without a body parser in front of it. Such a parser's own limit applies; that of
 * `express.json()` is 100 kB. What it refuses is answered by `toExpressErrorHandler`.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * express().use('/ai', toExpressHandler(server)).listen(8080)
 * ```
 */
export function toExpressHandler(server: FetchServer): NodeListener {
  return toNodeListener(server)
}

/** As Express calls middleware for errors. */
export type ExpressErrorHandler = (
  error: unknown,
  message: NodeRequest,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => void

/**
 * Middleware for Express, mounted at the same path after `toExpressHandler`, where a body parser stands in front of it:
 * `app.use('/ai', toExpressErrorHandler(server))`. Without it Express answers a body that its parser refused with a page
 * of its own, and prints the error, which quotes the body. Other errors go on to the app's own handlers.
 *
 * @example
 * ```ts
 * const server = createServer({ engine, keys: ['a-long-secret'] })
 * const app = express().use(express.json())
 * app.use('/ai', toExpressHandler(server))
 * app.use('/ai', toExpressErrorHandler(server))
 * ```
 */
export function toExpressErrorHandler(server: FetchServer): ExpressErrorHandler {
  requireServer(server)
  return (error, message, response, next) => {
    const failure = toFailure(error)
    if (failure === undefined || response.headersSent) return next(error)
    void answerFailure(server, failure, message, response)
  }
}

/** The service checks path and key first, as it does for a body that it reads itself. */
async function answerFailure(
  server: FetchServer,
  failure: TesseraError | Refusal,
  message: NodeRequest,
  response: ServerResponse,
): Promise<void> {
  try {
    const request = setParsedBody(toWebRequest(Object.assign(message, { body: null }), response), { failure })
    await sendWebResponse(await server.fetch(request), response)
  } catch {
    response.destroy()
  }
}

/** Codes of zlib, for gzip and for Brotli: body-parser hands on what they say of a body that it cannot unpack. */
const UNPACKING = /^(?:Z|ERR__ERROR)_/

interface ParserError {
  readonly type?: unknown
  readonly limit?: unknown
  readonly status?: unknown
  readonly code?: unknown
}

/** By the types of the errors of body-parser. */
function toFailure(error: unknown): TesseraError | Refusal | undefined {
  const { type, limit, status, code } = (error ?? {}) as ParserError
  if (type === undefined && status === 400 && UNPACKING.test(String(code))) {
    return new InvalidRequestError('body', 'must be packed as its Content-Encoding says', { loc: [] })
  }
  switch (type) {
    case 'entity.parse.failed':
      return new InvalidRequestError('body', 'must be valid JSON', { loc: [] })
    case 'entity.too.large':
      return new Refusal(413, 'invalid_request', `body: must be at most ${limit} bytes`)
    case 'encoding.unsupported':
    case 'charset.unsupported':
      return new Refusal(415, 'invalid_request', 'body: must be UTF-8, without a Content-Encoding')
    case 'request.size.invalid':
      return new Refusal(400, 'invalid_request', 'body: must be as long as its Content-Length says')
    case 'request.aborted':
      return new AbortedError('the request ended before its body was complete')
    default:
      return undefined
  }
}
