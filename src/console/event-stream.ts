/** One block of a stream of server-sent events. */
export interface StreamBlock {
  readonly event: string | undefined
  readonly data: string | undefined
  /** The comment behind a colon: clients that wait for events never see it. */
  readonly comment: string | undefined
}

/** Reads server-sent events as they come in. Each field of a block is one line, as this server writes them. */
export async function* readEventStream(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamBlock> {
  const reader = body.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader()
  // Parts of a block that pieces cut are joined once, however many they are: a picture comes in thousands.
  let parts: string[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const ends = value.includes('\n\n') || (value.startsWith('\n') && parts.at(-1)?.endsWith('\n'))
    parts.push(value)
    if (!ends) continue
    const blocks = parts.join('').split('\n\n')
    parts = [blocks.pop()!]
    for (const block of blocks) yield readBlock(block)
  }
}

function readBlock(block: string): StreamBlock {
  const lines = block.split('\n')
  const field = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  return { event: field('event'), data: field('data'), comment: field('') }
}
