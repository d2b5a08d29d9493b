const LINE_BREAK = '\r\n'
const HEADER = /^([!-9;-~]+):[ \t]*([^\r\n]*)$/

/** A value may stand without quotes, as .NET writes it. */
const PARAMETER = /[ \t]*;[ \t]*([^\s"=;]+)=(?:"([^"]*)"|([^\s";]+))/y

interface Part {
  readonly name: string
  readonly isFile: boolean
  readonly isBase64: boolean
}

/**
 * The fields of a body of `multipart/form-data` (RFC 7578); files lose their names, which nobody reads. `formData()` of
 * a web response does the same for the one spelling that browsers have.
 *
 * @param refuse Called with what is wrong.
 */
export function parseForm(
  bytes: Buffer<ArrayBuffer>, boundary: string, maxParts: number, refuse: (reason: string) => never,
): FormData {
  const form = new FormData()
  const mark = Buffer.from(`--${boundary}`, 'latin1')
  const delimiter = Buffer.concat([Buffer.from(LINE_BREAK), mark])
  const malformed = () => refuse('must be a valid multipart form')
  const startsWith = (text: Buffer | string, at: number) => bytes.subarray(at, at + text.length).equals(Buffer.from(text))
  let at = startsWith(LINE_BREAK, 0) ? LINE_BREAK.length : 0
  if (!startsWith(mark, at)) malformed()
  at += mark.length
  for (let parts = 1; !startsWith('--', at); parts++) {
    if (parts > maxParts) refuse(`must have at most ${maxParts} parts`)
    const headersEnd = bytes.indexOf('\r\n\r\n', at)
    const start = headersEnd + 4
    const end = bytes.indexOf(delimiter, start)
    if (!startsWith(LINE_BREAK, at) || headersEnd < 0 || end < 0) malformed()
    const part = readHeaders(bytes.toString('utf8', at + LINE_BREAK.length, headersEnd)) ?? malformed()
    const content = bytes.subarray(start, end)
    const value = part.isBase64 ? Buffer.from(content.toString('latin1'), 'base64') : content
    form.append(part.name, part.isFile ? new Blob([value]) : new TextDecoder().decode(value))
    at = end + delimiter.length
  }
  if (!['', LINE_BREAK].includes(bytes.toString('latin1', at + 2))) malformed()
  return form
}

/** What the headers of a part say; undefined where they are malformed, or say it twice. */
function readHeaders(text: string): Part | undefined {
  const headers = new Map<string, string>()
  for (const line of text.split(LINE_BREAK)) {
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '' || headers.has(name.toLowerCase())) return undefined
    headers.set(name.toLowerCase(), value)
  }
  const parameters = readDisposition(headers.get('content-disposition') ?? '')
  const name = parameters?.get('name')
  if (parameters === undefined || name === undefined) return undefined
  return {
    name,
    isFile: parameters.has('filename') || parameters.has('filename*'),
    isBase64: headers.get('content-transfer-encoding')?.trim().toLowerCase() === 'base64',
  }
}

function readDisposition(header: string): Map<string, string> | undefined {
  const value = header.trimEnd()
  const [type] = /^form-data/i.exec(value) ?? []
  if (type === undefined) return undefined
  const parameters = new Map<string, string>()
  let at = type.length
  while (at < value.length) {
    PARAMETER.lastIndex = at
    const [whole, name, quoted, token] = PARAMETER.exec(value) ?? []
    if (whole === undefined || parameters.has(name!.toLowerCase())) return undefined
    parameters.set(name!.toLowerCase(), quoted ?? token!)
    at += whole.length
  }
  return parameters
}
