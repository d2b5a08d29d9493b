import { MIMEType } from 'node:util'
import { InvalidRequestError } from '../errors/index.ts'
import { checkBodyHeaders, readBody } from './read-body.ts'
import { Refusal } from './refusal.ts'

const FORM_TYPE = /^multipart\/form-data *(?:;|$)/i

/** Far more than a request has fields and pictures. A body of a million empty parts would keep the thread busy. */
const MAX_PARTS = 64

export function isForm(request: Request): boolean {
  return FORM_TYPE.test(request.headers.get('content-type') ?? '')
}

/**
 * The multipart form of a request.
 *
 * @throws Refusal (413, 415); InvalidRequestError for a body that is no such form; AbortedError when the client hung up
 */
export async function readForm(request: Request, maxBytes: number): Promise<FormData> {
  const { headers } = request
  // Browsers send forms across origins without asking. What they can't add without asking is this header.
  if (headers.has('origin') && !headers.has('authorization')) {
    throw new Refusal(415, 'invalid_request', 'body: a form from a web page must come with an Authorization header')
  }
  checkBodyHeaders(headers, maxBytes)
  const type = headers.get('content-type')!
  const boundary = readBoundary(type)
  const chunks: Uint8Array[] = []
  for await (const chunk of readBody(request, maxBytes)) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  if (countParts(bytes, boundary) > MAX_PARTS) throw invalid(`must have at most ${MAX_PARTS} parts`)
  try {
    return await new Response(bytes, { headers: { 'content-type': type } }).formData()
  } catch {
    // Without its cause: the message of the parser may quote the body.
    throw invalid('must be a valid multipart form')
  }
}

function readBoundary(type: string): string {
  let boundary: string | null = null
  try {
    boundary = new MIMEType(type).params.get('boundary')
  } catch {
    // Said below: a type that can't be read has no boundary.
  }
  if (!boundary) throw invalid('must be a multipart form, whose Content-Type names a boundary')
  return boundary
}

function countParts(bytes: Buffer, boundary: string): number {
  const mark = Buffer.from(`--${boundary}`)
  let count = 0
  for (let at = bytes.indexOf(mark); at >= 0 && count <= MAX_PARTS + 1; at = bytes.indexOf(mark, at + mark.length)) count++
  // The last mark ends the form.
  return count - 1
}

function invalid(reason: string): InvalidRequestError {
  return new InvalidRequestError('body', reason, { loc: [] })
}
