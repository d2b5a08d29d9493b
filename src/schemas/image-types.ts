import type { Warning } from './warning.ts'

/**
 * A picture to be drawn from words, as a caller writes it.
 *
 * @example
 * ```ts
 * const request: ImageGenerationRequestInput = { prompt: 'an apple on a blue background', size: '256x256', seed: 7 }
 * ```
 */
export interface ImageGenerationRequestInput {
  /**
   * What to draw, up to 32,000 characters. The embedded model knows some words only, and draws objects in colours of their own; what it
   * does not draw is among the `warnings` of the response.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'an apple on a blue background' })
   * ```
   */
  readonly prompt: string
  /**
   * Width and height in pixels, `<W>x<H>`, 16 to 2048 a side. Default `1024x1024`. Models draw in sizes of their own; the
   * picture is resampled where another is asked for.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'an apple on a blue background', size: '256x256' })
   * ```
   */
  readonly size?: string | undefined
  /**
   * Whole number within ±(2^53 - 1). The same seed gives the same picture; picture k of a call is the one of `seed + k`.
   * Default: another one for each call.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'an apple on a blue background', seed: 7 })
   * ```
   */
  readonly seed?: number | undefined
  /**
   * How many pictures, 1 to 4. Default 1.
   *
   * @example
   * ```ts
   * const { data } = await generateImage({ prompt: 'an apple on a blue background', n: 4 })
   * ```
   */
  readonly n?: number | undefined
  /**
   * Which model draws: a name of the engine's `models`, or a hub id. Default `alpha-image-turbo`.
   *
   * @example
   * ```ts
   * await generateImage({ prompt: 'an apple on a blue background', model: 'image-mini' })
   * ```
   */
  readonly model?: string | undefined
}

/**
 * A picture to be changed by words, or made out of several, as a caller writes it. Give `image` or `images`.
 *
 * @example
 * ```ts
 * const request = (apple: string): ImageEditRequestInput => ({ prompt: 'change the background to yellow', image: apple })
 * ```
 */
export interface ImageEditRequestInput {
  /**
   * What to change, up to 32,000 characters.
   *
   * @example
   * ```ts
   * const { data } = await generateImage({ prompt: 'an apple on a blue background', seed: 7 })
   * await editImage({ prompt: 'change the background to yellow', image: data[0].b64_json })
   * ```
   */
  readonly prompt: string
  /**
   * The picture to change: PNG, JPEG or WebP as base64 or as a data URL.
   *
   * @example
   * ```ts
   * const edit = (image: string) => editImage({ prompt: 'change the background to yellow', image })
   * ```
   */
  readonly image?: string | undefined
  /**
   * 1 to 10 pictures to make one out of, in the order in which the prompt speaks of them; in place of `image`.
   *
   * @example
   * ```ts
   * const first = await generateImage({ prompt: 'an apple on a blue background' })
   * const second = await generateImage({ prompt: 'a banana on a white background' })
   * await editImage({ prompt: 'combine the two pictures', images: [first.data[0].b64_json, second.data[0].b64_json] })
   * ```
   */
  readonly images?: readonly string[] | undefined
  /**
   * A picture of the size of the first source that says what may change of it: white changes, black stays to the bit, grey
   * changes by so much. Where it is transparent anywhere, what is transparent changes, as in OpenAI's masks. Default: all.
   *
   * @example
   * ```ts
   * await editImage({ prompt: 'a banana', image: await readFile('apple.png'), mask: await readFile('mask.png') })
   * ```
   */
  readonly mask?: string | undefined
  /**
   * Whole number within ±(2^53 - 1); see the seed of a generation.
   *
   * @example
   * ```ts
   * const edit = (image: string) => editImage({ prompt: 'change the background to yellow', image, seed: 7 })
   * ```
   */
  readonly seed?: number | undefined
  /**
   * How many variants, 1 to 4. Default 1.
   *
   * @example
   * ```ts
   * const edit = (image: string) => editImage({ prompt: 'change the background to yellow', image, n: 4 })
   * ```
   */
  readonly n?: number | undefined
  /**
   * Which model edits: a name of the engine's `models`, or a hub id. Default `beta-klein-4b`.
   *
   * @example
   * ```ts
   * const edit = (image: string) => editImage({ prompt: 'change the background to yellow', image, model: 'image-mini' })
   * ```
   */
  readonly model?: string | undefined
}

/**
 * A source picture where it is: a PNG, JPEG or WebP file as base64 or a data URL, as its bytes (an `ArrayBuffer` is what
 * `fetch` gives), as a `Blob` or `File`, or in Node as the `file:` URL of one.
 *
 * @example
 * ```ts
 * const source: PictureSource = new URL('apple.png', import.meta.url)
 * ```
 */
export type PictureSource = string | Uint8Array | ArrayBuffer | Blob | URL

/** An edit request of a call in the same process, whose sources need not be base64. */
export interface EditImageRequest extends Omit<ImageEditRequestInput, 'image' | 'images' | 'mask'> {
  /**
   * The picture to change: its bytes, a `Blob`, the URL of a file, base64 or a data URL.
   *
   * @example
   * ```ts
   * await editImage({ prompt: 'change the background to yellow', image: await readFile('apple.png') })
   * ```
   */
  readonly image?: PictureSource | undefined
  /**
   * 1 to 10 pictures to make one out of, in the order in which the prompt speaks of them; in place of `image`.
   *
   * @example
   * ```ts
   * const images = [pathToFileURL('fox.png'), pathToFileURL('rocket.png')]
   * await editImage({ prompt: 'combine the two pictures', images })
   * ```
   */
  readonly images?: readonly PictureSource[] | undefined
  /**
   * A picture of the size of the first source that says what may change of it: white changes, black stays to the bit, grey
   * changes by so much. Where it is transparent anywhere, what is transparent changes, as in OpenAI's masks. Default: all.
   *
   * @example
   * ```ts
   * await editImage({ prompt: 'a banana', image: await readFile('apple.png'), mask: await readFile('mask.png') })
   * ```
   */
  readonly mask?: PictureSource | undefined
}

/** One picture of a response. */
export interface ImageData {
  /**
   * A PNG as base64.
   *
   * @example
   * ```ts
   * const { data } = await generateImage({ prompt: 'an apple on a blue background' })
   * await writeFile('apple.png', Buffer.from(data[0].b64_json, 'base64'))
   * ```
   */
  readonly b64_json: string
}

/** What `generateImage` and `editImage` answer. */
export interface ImageResponse {
  /**
   * As many pictures as `n` asked for, at least one.
   *
   * @example
   * ```ts
   * const { data } = await generateImage({ prompt: 'an apple on a blue background', n: 2 })
   * const [first, ...others] = data
   * ```
   */
  readonly data: readonly [ImageData, ...ImageData[]]
  /**
   * What was ignored in the request, such as misspelt fields; absent when nothing was, and never on the wire.
   *
   * @example
   * ```ts
   * const { warnings = [] } = await generateImage({ prompt: 'an apple on a blue background' })
   * for (const { message } of warnings) console.warn(message)
   * ```
   */
  readonly warnings?: readonly Warning[]
}
