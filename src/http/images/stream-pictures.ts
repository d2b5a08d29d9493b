import type { ImageCallOptions, Progress } from '../../engine/index.ts'
import type { ImageResponse } from '../../schemas/index.ts'
import { startEventStream } from '../event-stream.ts'
import type { Call } from '../route.ts'
import { HeldProgress } from './held-progress.ts'
import { type EventName, secondsNow, toCompletedEvent, toPartial } from './picture-events.ts'
import { selectPreviews } from './select-previews.ts'
import { tellWarnings } from './told-warnings.ts'

/** How a drawing is followed. */
export type Watching = Pick<ImageCallOptions, 'onProgress' | 'onPreview'>

interface Streaming {
  readonly eventName: EventName
  /** Of each picture. */
  readonly previews: number
  draw(watching: Watching, signal: AbortSignal): Promise<ImageResponse>
}

/** Answers with events: previews where they are asked for, and pictures. */
export function streamPictures(call: Call, { eventName, previews, draw }: Streaming): Promise<Response> {
  return startEventStream(call, async ({ comment, event }, signal) => {
    // Progress is sent as comments: OpenAI's clients hand every event to their user, who knows none of this kind.
    const held = new HeldProgress(comment)
    const onPreview = selectPreviews(previews, (preview, index) => {
      held.release()
      const partial = toPartial(eventName, preview, index)
      event(partial.type, partial)
    })
    const watching = { onProgress: (progress: Progress) => held.add(progress), ...(previews > 0 && { onPreview }) }
    const { data, warnings } = await draw(watching, signal).finally(() => held.drop())
    const words = tellWarnings(warnings)
    if (words !== undefined) comment(`warnings ${words}`)
    const name = `${eventName}.completed`
    for (const image of data) event(name, toCompletedEvent(name, image, secondsNow()))
  })
}
