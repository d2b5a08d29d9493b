import { InvalidRequestError } from '../errors/index.ts'
import { encodeBase64 } from '../images/picture/base64.ts'
import type { EditImageRequest, ImageEditRequestInput } from '../schemas/index.ts'

/** Reads a file that a `file:` URL names. Browsers have none. */
export type ReadFile = (url: URL) => Promise<Uint8Array>

/**
 * An edit request as it goes over the wire: bytes, blobs and files become base64. What is none of these is left to the
 * check of the request.
 *
 * @throws InvalidRequestError naming the source that could not be read
 */
export async function encodeSources(request: EditImageRequest, readFile?: ReadFile): Promise<ImageEditRequestInput> {
  if (typeof request !== 'object' || request === null) return request
  const { image, images, mask } = request
  const encode = (source: unknown, path: string) => encodeSource(source, path, readFile)
  return {
    ...request,
    ...(image !== undefined && { image: (await encode(image, 'image')) as string }),
    ...(mask !== undefined && { mask: (await encode(mask, 'mask')) as string }),
    ...(Array.isArray(images) && {
      images: (await Promise.all(images.map((source, index) => encode(source, `images.${index}`)))) as string[],
    }),
  } as ImageEditRequestInput
}

async function encodeSource(source: unknown, path: string, readFile: ReadFile | undefined): Promise<unknown> {
  if (source instanceof Uint8Array) return encodeBase64(source)
  if (source instanceof Blob) return encodeBase64(new Uint8Array(await source.arrayBuffer()))
  if (!(source instanceof URL)) return source
  if (source.protocol === 'data:') return source.href
  if (source.protocol !== 'file:' || readFile === undefined) {
    const reason = `must be the URL of a file here, got one that starts with ${source.protocol}; nothing is fetched, so pass the bytes`
    throw new InvalidRequestError(path, reason)
  }
  try {
    return encodeBase64(await readFile(source))
  } catch (cause) {
    const { code = 'unknown error' } = cause as { readonly code?: string }
    throw new InvalidRequestError(path, `the file could not be read (${code})`, { cause })
  }
}
