import { InternalError } from '../errors/index.ts'
import type { Job, JobRequest } from '../http/index.ts'
import { JsonBytes } from '../http/json-bytes.ts'
import { encodeBase64 } from '../schemas/base64.ts'
import { isPlainObject } from '../schemas/fault.ts'

/** Pictures of a body are bytes, which JSON does not have. */
type Packed = Omit<JobRequest, 'body'> & { readonly body: PackedJson | { readonly form: readonly PackedField[] } }

interface PackedJson {
  readonly json: unknown
  /** Names of the pictures that were bytes: a request is known again by its digest, which differs for their base64. */
  readonly bytes?: readonly string[]
}

interface PackedField {
  readonly name: string
  readonly isFile: boolean
  readonly value: string
  readonly isBytes: boolean
}

function pack({ body, ...request }: JobRequest): Packed {
  if ('json' in body) return { ...request, body: packJson(body.json) }
  const form = body.form.map(({ value, ...field }): PackedField => {
    const isBytes = value instanceof Uint8Array
    return { ...field, isBytes, value: isBytes ? encodeBase64(value) : value }
  })
  return { ...request, body: { form } }
}

function packJson(value: unknown): PackedJson {
  const bytes: string[] = []
  const json = mapPictures(value, (source, name) => {
    if (source instanceof Uint8Array) bytes.push(name)
    return toText(source)
  })
  return { json, ...(bytes.length > 0 && { bytes }) }
}

/**
 * The job without its request and its result, as text.
 *
 * @throws InternalError where it cannot be: the store is there, so to come again would be of no use
 */
export function writeJob({ request: _request, result: _result, ...job }: Job): string {
  return writeText(job)
}

/** @throws InternalError as `writeJob` */
export function writeResult(result: unknown): string {
  return result instanceof JsonBytes ? result.text : writeText(result)
}

/** @throws InternalError as `writeJob` */
export function writeRequest(request: JobRequest): string {
  return writeText(pack(request))
}

function writeText(value: unknown): string {
  try {
    return JSON.stringify(value)
  } catch (cause) {
    throw new InternalError('the job cannot be written as text', { cause })
  }
}

export function readRequest(text: string): JobRequest {
  return unpack(JSON.parse(text) as Packed)
}

function unpack({ body, ...request }: Packed): JobRequest {
  if ('json' in body) return { ...request, body: unpackJson(body) }
  const fields = body.form.map(({ isBytes, value, ...field }) => {
    return { ...field, value: isBytes ? toBytes(value) : value }
  })
  return { ...request, body: { form: fields } }
}

function unpackJson({ json, bytes = [] }: PackedJson): JobRequest['body'] {
  const known = new Set(bytes)
  return { json: mapPictures(json, (source, name) => (known.has(name) ? toBytes(source as string) : source)) }
}

/** A request or the options of a call with base64 in place of the bytes of its pictures. */
export function picturesToText<Request>(request: Request): Request {
  return mapPictures(request, toText)
}

/** A request with other values in the members that hold pictures, each of which has a name. */
function mapPictures<Request>(request: Request, change: (source: unknown, name: string) => unknown): Request {
  if (!isPlainObject(request)) return request
  const { images, control } = request
  const changeMember = (owner: object, member: string, name = member) =>
    Object.hasOwn(owner, member) && { [member]: change(owner[member as keyof typeof owner], name) }
  return {
    ...request,
    ...changeMember(request, 'image'),
    ...(Array.isArray(images) && { images: images.map((source, index) => change(source, `images.${index}`)) }),
    ...changeMember(request, 'mask'),
    ...(isPlainObject(control) && { control: { ...control, ...changeMember(control, 'image', 'control.image') } }),
  }
}

function toText(source: unknown): unknown {
  return source instanceof Uint8Array ? encodeBase64(source) : source
}

function toBytes(base64: string): Uint8Array {
  return new Uint8Array(Buffer.from(base64, 'base64'))
}
