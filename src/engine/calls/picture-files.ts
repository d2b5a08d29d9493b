import { fileURLToPath } from 'node:url'
import * as z from 'zod'
import { InvalidRequestError } from '../../errors/index.ts'
import { writeWhole } from '../../models/files/write-whole.ts'
import { mustBe, readOption, text } from '../../options/index.ts'
import { kindOf } from '../../schemas/fault.ts'
import type { ImageData } from '../../schemas/index.ts'

/** What is easily passed in its place: the answer, its promise, all of `data`. */
const PICTURE = z.custom<ImageData>(
  (value) => typeof (value as Partial<ImageData> | null | undefined)?.b64_json === 'string',
  // A text may be the picture's base64, which is content.
  { error: ({ input }) => `must be a picture of an answer, such as data[0], got ${kindOf(input)}` },
)
/** Base64 of the first six bytes of each PNG file. A data URL, or other base64, would become a file that nothing reads. */
const PNG_BEGIN = 'iVBORw0K'
const FILE = 'the path or URL of a file'
const PATH = z.union(
  [text(FILE), z.instanceof(URL).refine(({ protocol }) => protocol === 'file:', `must be ${FILE}, got another URL`)],
  mustBe(FILE),
)

/**
 * The PNG of a picture as bytes.
 *
 * @throws InvalidRequestError naming `image` or `image.b64_json`, where it is no picture of an answer
 * @example
 * ```ts
 * const { data } = await generateImage({ prompt: 'an apple on a blue background' })
 * const png = toBytes(data[0])
 * ```
 */
export function toBytes(image: ImageData): Uint8Array & { readonly buffer: ArrayBuffer } {
  // `Response` and `Blob` ask for memory that is not shared. TypeScript 5.6 knows no argument that says so.
  const { b64_json: base64 } = readOption('image', PICTURE, image)
  if (!base64.startsWith(PNG_BEGIN))
    throw new InvalidRequestError('image.b64_json', 'must be a PNG as base64, got another text')
  return Buffer.from(base64, 'base64')
}

/**
 * Writes a picture to a PNG file, which is replaced where it is there, once the new one is whole. Its folder has to be there.
 *
 * @throws InvalidRequestError naming `path`, `image` or `image.b64_json`, where it is another thing; errors of the file system as Node has them
 * @example
 * ```ts
 * const { data } = await generateImage({ prompt: 'an apple on a blue background' })
 * await writeImage('apple.png', data[0])
 * ```
 */
export async function writeImage(path: string | URL, image: ImageData): Promise<void> {
  const file = readOption('path', PATH, path)
  await writeWhole(file instanceof URL ? fileURLToPath(file) : file, toBytes(image))
}
