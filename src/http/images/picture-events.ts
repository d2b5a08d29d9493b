import type { Preview } from '../../jobs/preview.ts'
import type { ImageResponse } from '../../schemas/index.ts'

/** First part of the names of events. */
export type EventName = 'image_generation' | 'image_edit'

/** Pictures are not counted in tokens: they have a price each. */
const NO_TOKENS = {
  input_tokens: 0,
  input_tokens_details: { image_tokens: 0, text_tokens: 0 },
  output_tokens: 0,
  total_tokens: 0,
}

/** The event of a finished picture, with every member that OpenAI's clients say is there. */
export function toCompletedEvent(type: string, picture: ImageResponse['data'][number], created_at: number) {
  return { ...describe(type, picture, created_at), usage: NO_TOKENS }
}

/** That of a preview, now; `size` is its own, smaller than what is drawn. */
export function toPartial(eventName: EventName, preview: Preview, partial_image_index: number) {
  return { ...describe(`${eventName}.partial_image`, preview, secondsNow()), partial_image_index }
}

function describe(type: string, { b64_json }: { readonly b64_json: string }, created_at: number) {
  return {
    type,
    b64_json,
    created_at,
    size: readPngSize(b64_json),
    quality: 'auto',
    background: 'opaque',
    output_format: 'png',
  }
}

/** From the picture itself, as only an edit's source says what sides it has. */
function readPngSize(base64: string): string {
  // Signature, length and name of the first chunk take 16 bytes; width and height follow.
  const header = Buffer.from(base64.slice(0, 32), 'base64')
  return `${header.readUInt32BE(16)}x${header.readUInt32BE(20)}`
}

/** Seconds since 1970, as OpenAI's clients have times. */
export function secondsNow(): number {
  return Math.floor(Date.now() / 1000)
}
