import { MIMEType } from 'node:util'
import { InvalidRequestError } from '../errors/index.ts'
import { parseForm } from './parse-form.ts'
import { checkBodyHeaders, readBody } from './read-body.ts'
import { Refusal } from './refusal.ts'

const FORM_TYPE = /^multipart\/form-data *(?:;|$)/i

/** Far more than a request has fields and pictures. A body of a million empty parts would keep the thread busy. */
const MAX_PARTS = 64

/** RFC 2046, section 5.1.1. Looking for one takes time with its length. */
const LONGEST_BOUNDARY = 70

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
  const boundary = readBoundary(headers.get('content-type')!)
  const chunks: Uint8Array[] = []
  for await (const chunk of readBody(request, maxBytes)) chunks.push(chunk)
  return parseForm(Buffer.concat(chunks), boundary, MAX_PARTS, refuse)
}

function readBoundary(type: string): string {
  let boundary: string | null = null
  try {
    boundary = new MIMEType(type).params.get('boundary')
  } catch {
    // Said below: a type that can't be read has no boundary.
  }
  if (boundary === null || boundary === '' || boundary.length > LONGEST_BOUNDARY) {
    refuse(`must be a multipart form, whose Content-Type names a boundary of at most ${LONGEST_BOUNDARY} characters`)
  }
  return boundary
}

function refuse(reason: string): never {
  throw new InvalidRequestError('body', reason, { loc: [] })
}
