import { InvalidRequestError } from '../../errors/index.ts'
import type { ImageEditJob } from '../../images/index.ts'
import { kindOf } from '../../schemas/fault.ts'
import type { EditImageRequest } from '../../schemas/index.ts'
import type { RunMessage } from '../pool/protocol.ts'

/** Reads a file that a `file:` URL names. Browsers have none. */
export type ReadFile = (url: URL) => Promise<Uint8Array>

/**
 * An edit request whose sources are text or bytes that nobody else has: those of the caller are copied at once, as it may use
 * their memory again before the rest is there; blobs and files are read. Texts and what is no object are left to the check of
 * the request.
 *
 * @throws InvalidRequestError naming the source that could not be read, or is none of these
 */
export async function ownSources(request: EditImageRequest, readFile?: ReadFile): Promise<unknown> {
  if (typeof request !== 'object' || request === null) return request
  const given = { ...request }
  const own = (source: unknown, path: string) => ownSource(source, path, readFile)
  const [image, mask, images] = await Promise.all([
    own(given.image, 'image'),
    own(given.mask, 'mask'),
    Array.isArray(given.images)
      ? Promise.all(given.images.map((each, index) => own(each, `images.${index}`)))
      : undefined,
  ])
  return {
    ...given,
    ...(image !== undefined && { image }),
    ...(mask !== undefined && { mask }),
    ...(images && { images }),
  }
}

/** One of them. @param path its name, for errors */
export async function ownSource(given: unknown, path: string, readFile: ReadFile | undefined): Promise<unknown> {
  // Of a promise that was not awaited too, whose bytes would be handed over with the caller's memory otherwise.
  const source = isPromise(given) ? await given : given
  if (typeof source !== 'object' || source === null) return source
  if (isBytes(source)) return copyBytes(source)
  if (isBlob(source)) return readSource(() => source.arrayBuffer(), path)
  if (!(source instanceof URL)) {
    const remedy =
      source instanceof Response ? '; await its arrayBuffer()' : 'b64_json' in source ? '; give its b64_json' : ''
    throw new InvalidRequestError(path, `must be ${listKinds(readFile)}, got ${kindOf(source)}${remedy}`)
  }
  if (source.protocol === 'data:') return source.href
  if (source.protocol !== 'file:' || readFile === undefined) {
    const wanted = readFile ? 'the URL of a file here, got one' : `${listKinds(readFile)} here, got a URL`
    const reason = `must be ${wanted} that starts with ${source.protocol}; nothing is fetched, so pass the bytes`
    throw new InvalidRequestError(path, reason)
  }
  return readSource(() => readFile(source), path)
}

/** What a source may be. */
function listKinds(readFile: ReadFile | undefined): string {
  return `bytes (Uint8Array or ArrayBuffer), a Blob, ${readFile ? 'the URL of a file, ' : ''}base64 or a data URL`
}

/** What is none is not awaited: its memory may be another's after that. */
function isPromise(given: unknown): given is PromiseLike<unknown> {
  return typeof (given as Partial<PromiseLike<unknown>> | null | undefined)?.then === 'function'
}

/** Also of another realm, as files are that are read in a test of Jest: its classes are not those of this module. */
function isBytes(source: object): source is Uint8Array | ArrayBuffer {
  const kind = Object.prototype.toString.call(source)
  return ArrayBuffer.isView(source) ? kind === '[object Uint8Array]' : kind === '[object ArrayBuffer]'
}

/** Also of another realm, as files are that were chosen in another frame of a page. */
function isBlob(source: object): source is Blob {
  return source instanceof Blob || /^\[object (Blob|File)\]$/.test(Object.prototype.toString.call(source))
}

/** Memory that was handed to another thread has no bytes left, and cannot be copied. */
function copyBytes(source: Uint8Array | ArrayBuffer): Uint8Array {
  if (source.byteLength === 0) return new Uint8Array()
  return ArrayBuffer.isView(source) ? new Uint8Array(source) : new Uint8Array(source.slice(0))
}

async function readSource(read: () => Promise<Uint8Array | ArrayBuffer>, path: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await read())
  } catch (cause) {
    const { code, name } = cause as { readonly code?: unknown; readonly name: string }
    // Errors of blobs have numbers of old for codes.
    const why = typeof code === 'string' ? code : name
    throw new InvalidRequestError(path, `the file could not be read (${why})`, { cause })
  }
}

/** The pictures of a call for pictures, whose memory is handed over with it: they are large, and only the model reads them. */
export function picturesOf({ kind, request }: Pick<RunMessage, 'kind' | 'request'>): Uint8Array[] {
  if (kind !== 'editImage' && kind !== 'generateImage') return []
  const { image, images = [], mask, control } = request as Partial<ImageEditJob>
  return [image, ...images, mask, control?.image].filter((source) => source instanceof Uint8Array)
}

/** Their memory. */
export function buffersOf(message: Pick<RunMessage, 'kind' | 'request'>): ArrayBuffer[] {
  return [...new Set(picturesOf(message).map(({ buffer }) => buffer as ArrayBuffer))]
}
