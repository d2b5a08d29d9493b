import { MIMEType } from 'node:util'
import { InvalidRequestError } from '../../errors/index.ts'
import { Refusal } from '../refusal.ts'
import type { BodyParser } from './body-parser.ts'
import type { OpenShare } from './body-rooms.ts'
import type { BodyKind } from './parse-body.ts'
import type { FormField } from './parse-form.ts'
import type { BodyLine } from './parse-lines.ts'
import { getParsedBody, isTaken, readElsewhere } from './parsed-body.ts'
import { checkBodyHeaders, readBody } from './read-body.ts'

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i
/** What JSON Lines are sent as; none of these is registered. */
const LINES_TYPE = /^application\/(?:x-)?(?:jsonl|jsonlines|json-lines|ndjson) *(?:;|$)/i
const FORM_TYPE = /^multipart\/form-data *(?:;|$)/i

/** RFC 2046, section 5.1.1. Looking for one takes time with its length. */
const LONGEST_BOUNDARY = 70

export interface BodyMeans {
  /** Largest body in bytes. */
  readonly maxBytes: number
  readonly share: OpenShare
  readonly parser: BodyParser
}

/** JSON; the same with pictures, of which large ones become bytes; that or a multipart form; JSON Lines. */
export type BodyType = 'json' | 'pictures' | 'pictures-or-form' | 'lines'

/** A body as it was read. */
export type JsonOrForm = { readonly json: unknown } | { readonly form: readonly FormField[] }

/** How a route reads the body of a request that takes one of such a type. */
export function createBodyReaders(request: Request, type: BodyType, means: BodyMeans) {
  return toReaders(async (): Promise<JsonOrForm> => {
    if (type !== 'pictures-or-form') return { json: await readJsonBody(request, type, means) }
    return FORM_TYPE.test(request.headers.get('content-type') ?? '')
      ? { form: await readForm(request, means) }
      : { json: await readJsonBody(request, 'pictures', means) }
  })
}

/** @param readBody the body itself, once */
export function toReaders(readBody: () => Promise<JsonOrForm>) {
  const readJson = async () => {
    const body = await readBody()
    return 'json' in body ? body.json : undefined
  }
  return { readBody, readJson }
}

/**
 * A JSON body of a request, or its lines of JSON.
 *
 * @throws Refusal (413, 415); InvalidRequestError for a body that is no JSON, or has no lines or too many; OverloadedError;
 *   AbortedError when the client hung up
 */
async function readJsonBody(request: Request, type: 'json' | 'pictures' | 'lines', means: BodyMeans): Promise<unknown> {
  const { headers } = request
  const [wanted, name] = type === 'lines' ? [LINES_TYPE, 'application/jsonl'] : [JSON_TYPE, 'application/json']
  if (!wanted.test(headers.get('content-type') ?? '')) {
    throw new Refusal(415, 'invalid_request', `body: must be sent with "Content-Type: ${name}"`)
  }
  checkBodyHeaders(headers, means.maxBytes)
  const parsed = getParsedBody(request)
  // What a framework has parsed is one value, and not its lines.
  return parsed && 'value' in parsed && type !== 'lines' ? parsed.value : read(request, means, { type })
}

/**
 * The fields of a multipart form.
 *
 * @throws Refusal (413, 415); InvalidRequestError for a body that is no such form; OverloadedError; AbortedError when
 *   the client hung up
 */
async function readForm(request: Request, means: BodyMeans): Promise<readonly FormField[]> {
  const { headers } = request
  // Browsers send forms across origins without asking. What they can't add without asking is this header.
  if (headers.has('origin') && !headers.has('authorization')) {
    throw new Refusal(415, 'invalid_request', 'body: a form from a web page must come with an Authorization header')
  }
  checkBodyHeaders(headers, means.maxBytes)
  const boundary = readBoundary(headers.get('content-type')!)
  return (await read(request, means, { type: 'form', boundary })) as readonly FormField[]
}

async function read(request: Request, { maxBytes, share, parser }: BodyMeans, kind: BodyKind): Promise<unknown> {
  const before = getParsedBody(request)
  if (before && 'failure' in before) throw before.failure
  // Such as a form, of which multer leaves the fields of text alone.
  if (before || isTaken(request)) throw readElsewhere()
  const bytes = await readBody(request, maxBytes, share)
  // The parser takes them with it.
  const { byteLength } = bytes
  const parsed = await parser.parse(bytes, kind)
  const cut = tellCut(request.headers, byteLength)
  if ('refused' in parsed) return refuse(parsed.refused + cut)
  // It would be answered to its last line, which is broken, and those behind it would be missing without a word.
  if (cut !== '' && kind.type === 'lines' && endsBroken(parsed.value)) refuse(`must be whole lines of JSON${cut}`)
  return parsed.value
}

function endsBroken(lines: unknown): boolean {
  const last = (lines as readonly BodyLine[]).at(-1)
  return last !== undefined && 'refused' in last
}

/** Next.js hands on the beginning of a body that is larger than it keeps for a proxy or middleware, and tells nobody but its own log. */
function tellCut(headers: Headers, length: number): string {
  const announced = Number(headers.get('content-length'))
  return announced > length
    ? `; of its ${announced} bytes ${length} came, as if what is in front of the service takes no more`
    : ''
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
