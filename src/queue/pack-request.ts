import type { JobRequest } from '../http/index.ts'

/** Files of a form are bytes, which JSON does not have. */
export type Packed = Omit<JobRequest, 'body'> & { readonly body: unknown }

interface PackedField {
  readonly name: string
  readonly isFile: boolean
  readonly value: string
  readonly isBytes: boolean
}

export function pack({ body, ...request }: JobRequest): Packed {
  if ('json' in body) return { ...request, body }
  const form = body.form.map(({ value, ...field }): PackedField => {
    const isBytes = value instanceof Uint8Array
    return { ...field, isBytes, value: isBytes ? Buffer.from(value).toString('base64') : value }
  })
  return { ...request, body: { form } }
}

export function unpack({ body, ...request }: Packed): JobRequest {
  if ('json' in (body as object)) return { ...request, body: body as JobRequest['body'] }
  const { form } = body as { readonly form: readonly PackedField[] }
  const fields = form.map(({ isBytes, value, ...field }) => {
    return { ...field, value: isBytes ? new Uint8Array(Buffer.from(value, 'base64')) : value }
  })
  return { ...request, body: { form: fields } }
}
