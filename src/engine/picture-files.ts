import { writeFile } from 'node:fs/promises'
import type { ImageData } from '../schemas/index.ts'

/**
 * The PNG of a picture as bytes.
 *
 * @example
 * ```ts
 * const { data } = await generateImage({ prompt: 'an apple on a blue background' })
 * const png = toBytes(data[0])
 * ```
 */
export function toBytes({ b64_json }: ImageData): Uint8Array & { readonly buffer: ArrayBuffer } {
  // `Response` and `Blob` ask for memory that is not shared. TypeScript 5.6 knows no argument that says so.
  return Buffer.from(b64_json, 'base64')
}

/**
 * Writes a picture to a PNG file, which is replaced where it is there.
 *
 * @example
 * ```ts
 * const { data } = await generateImage({ prompt: 'an apple on a blue background' })
 * await writeImage('apple.png', data[0])
 * ```
 */
export async function writeImage(path: string | URL, image: ImageData): Promise<void> {
  await writeFile(path, toBytes(image))
}
