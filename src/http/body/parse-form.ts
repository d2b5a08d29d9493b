import { refuse } from './parse-json.ts'

const LINE_BREAK = '\r\n'
const CARRIAGE_RETURN = 0x0d
const LINE_FEED = 0x0a
/** No two parts of it can match the same character, so that its time grows with the line and not with its square. */
const HEADER = /^([!-9;-~]+):([^\r\n]*)$/
/** As much as Node takes of a whole request. */
const MAX_HEADERS = 16_384

/** A value may stand without quotes, as .NET writes it, and have quotes in it, as Go writes them. */
const PARAMETER = /[ \t]*;[ \t]*([^\s"=;]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";]+))/y

/** A field of a form. Files lose their names, which nobody reads. */
export interface FormField {
  readonly name: string
  readonly isFile: boolean
  /** Text; of a file, and of what is no UTF-8, its bytes, which are those of the body. */
  readonly value: string | Uint8Array
}

interface Part {
  readonly name: string
  readonly isFile: boolean
  /** Its Content-Transfer-Encoding, in small letters. */
  readonly encoding: string
}

/** Content as it is, by the names of RFC 2045. */
const PLAIN_ENCODINGS = ['', '7bit', '8bit', 'binary']

/** Far more than a request has fields and pictures. A body of a million empty parts would keep a thread busy. */
const MAX_PARTS = 64

/**
 * The fields of a body of `multipart/form-data` (RFC 7578); files lose their names, which nobody reads. `formData()` of
 * a web response does the same for the one spelling that browsers have.
 *
 * @throws Refused
 */
export function parseForm(bytes: Buffer<ArrayBuffer>, boundary: string): FormField[] {
  const fields: FormField[] = []
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  const delimiter = Buffer.concat([Buffer.from(LINE_BREAK), mark])
  const malformed = () => refuse('must be a valid multipart form')
  const startsWith = (text: Buffer | string, at: number) =>
    bytes.subarray(at, at + text.length).equals(Buffer.from(text))
  let at = skipLineBreaks(bytes, 0)
  if (!startsWith(mark, at)) malformed()
  at += mark.length
  for (let parts = 1; !startsWith('--', at); parts++) {
    if (parts > MAX_PARTS) refuse(`must have at most ${MAX_PARTS} parts`)
    const headersEnd = bytes.indexOf('\r\n\r\n', at)
    const start = headersEnd + 4
    const end = bytes.indexOf(delimiter, start)
    if (!startsWith(LINE_BREAK, at) || headersEnd < 0 || headersEnd - at > MAX_HEADERS || end < 0) malformed()
    const part = readHeaders(bytes.toString('utf8', at + LINE_BREAK.length, headersEnd)) ?? malformed()
    const content = bytes.subarray(start, end)
    if (part.encoding !== 'base64' && !PLAIN_ENCODINGS.includes(part.encoding)) {
      refuse('must have each part as it is, or in base64, and in no other Content-Transfer-Encoding')
    }
    fields.push(toField(part, content))
    at = end + delimiter.length
  }
  if (skipLineBreaks(bytes, at + 2) < bytes.length) malformed()
  return fields
}

/** By hand, as a body may be nothing else. @returns where they end */
function skipLineBreaks(bytes: Uint8Array, start: number): number {
  let at = start
  while (bytes[at] === CARRIAGE_RETURN && bytes[at + 1] === LINE_FEED) at += LINE_BREAK.length
  return at
}

function toField({ name, isFile, encoding }: Part, content: Buffer<ArrayBuffer>): FormField {
  // Memory of its own, since what Buffer makes may share it with others and could not be sent to another thread.
  const value =
    encoding === 'base64' ? new Uint8Array(Buffer.from(content.toString('latin1'), 'base64')) : toBytes(content)
  return { name, isFile, value: isFile ? value : toText(value) }
}

/** Bytes that are no UTF-8 stay bytes, to be refused under the name of the field where a text is wanted. */
function toText(bytes: Uint8Array): string | Uint8Array {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return bytes
  }
}

function toBytes({ buffer, byteOffset, byteLength }: Buffer<ArrayBuffer>): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** What the headers of a part say; undefined where they are malformed, or say it twice. */
function readHeaders(text: string): Part | undefined {
  const headers = new Map<string, string>()
  for (const line of text.split(LINE_BREAK)) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '' || headers.has(name.toLowerCase())) return undefined
    headers.set(name.toLowerCase(), value.trim())
  }
  const parameters = readDisposition(headers.get('content-disposition') ?? '')
  const name = parameters?.get('name')
  if (parameters === undefined || name === undefined) return undefined
  return {
    name,
    isFile: parameters.has('filename') || parameters.has('filename*'),
    encoding: headers.get('content-transfer-encoding')?.toLowerCase() ?? '',
  }
}

function readDisposition(header: string): Map<string, string> | undefined {
  const value = header.endsWith(';') ? header.slice(0, -1).trimEnd() : header
  const [type] = /^form-data/i.exec(value) ?? []
  if (type === undefined) return undefined
  const parameters = new Map<string, string>()
  let at = type.length
  while (at < value.length) {
    PARAMETER.lastIndex = at
    const [whole, name, quoted, token] = PARAMETER.exec(value) ?? []
    if (whole === undefined || parameters.has(name!.toLowerCase())) return undefined
    parameters.set(name!.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? token!)
    at += whole.length
  }
  return parameters
}
