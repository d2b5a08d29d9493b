import { InternalError } from '../errors/index.ts'
import type { Job, JobRequest } from '../http/index.ts'
import { encodeBase64 } from '../schemas/base64.ts'
import { isPlainObject } from '../schemas/fault.ts'

/** Pictures of a body are bytes, which JSON does not have. */
type Packed = Omit<JobRequest, 'body'> & { readonly body: unknown }

interface PackedField {
  readonly name: string
  readonly isFile: boolean
  readonly value: string
  readonly isBytes: boolean
}

function pack({ body, ...request }: JobRequest): Packed {
  if ('json' in body) return { ...request, body: { json: picturesToText(body.json) } }
  const form = body.form.map(({ value, ...field }): PackedField => {
    const isBytes = value instanceof Uint8Array
    return { ...field, isBytes, value: isBytes ? encodeBase64(value) : value }
  })
  return { ...request, body: { form } }
}

/**
 * The job without its request, as text.
 *
 * @throws InternalError where it cannot be: the store is there, so to come again would be of no use
 */
export function writeJob({ request: _request, ...job }: Job): string {
  return writeText(job)
}

/** @throws InternalError as `writeJob` */
export function writeRequest(request: JobRequest): string {
  return writeText(pack(request))
}

function writeText(value: object): string {
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
  if ('json' in (body as object)) return { ...request, body: body as JobRequest['body'] }
  const { form } = body as { readonly form: readonly PackedField[] }
  const fields = form.map(({ isBytes, value, ...field }) => {
    return { ...field, value: isBytes ? new Uint8Array(Buffer.from(value, 'base64')) : value }
  })
  return { ...request, body: { form: fields } }
}

/** A request or the options of a call with base64 in place of the bytes of its pictures. */
export function picturesToText<Request>(request: Request): Request {
  if (!isPlainObject(request)) return request
  const { image, images, mask, control } = request
  return {
    ...request,
    ...(image instanceof Uint8Array && { image: encodeBase64(image) }),
    ...(Array.isArray(images) && { images: images.map(toText) }),
    ...(mask instanceof Uint8Array && { mask: encodeBase64(mask) }),
    ...(isPlainObject(control) && { control: { ...control, image: toText(control['image']) } }),
  }
}

function toText(source: unknown): unknown {
  return source instanceof Uint8Array ? encodeBase64(source) : source
}
