import { expect, it } from 'vitest'
import { readEventStream, type StreamBlock } from './event-stream.ts'

const TEXT = ': progress {"done":1}\n\nevent: image_edit.completed\ndata: {"b64_json":"é: x"}\n\n: cut'

async function read(pieceBytes: number): Promise<StreamBlock[]> {
  const bytes = new TextEncoder().encode(TEXT)
  const pieces = Array.from({ length: Math.ceil(bytes.length / pieceBytes) }, (_, index) =>
    bytes.slice(index * pieceBytes, (index + 1) * pieceBytes),
  )
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece)
      controller.close()
    },
  })
  const blocks = []
  for await (const block of readEventStream(stream)) blocks.push(block)
  return blocks
}

it.each([1, 2, 7, 1000])('reads whole blocks, however the bytes arrive: %s at a time', async (pieceBytes) => {
  expect(await read(pieceBytes)).toEqual([
    { event: undefined, data: undefined, comment: 'progress {"done":1}' },
    { event: 'image_edit.completed', data: '{"b64_json":"é: x"}', comment: undefined },
  ])
})

it('reads a long block in time, however many pieces it arrives in', async () => {
  const data = 'A'.repeat(16 * 2 ** 20)
  const pieces = new TextEncoder().encode(`data: ${data}\n\n`)
  let at = 0
  const stream = new ReadableStream<Uint8Array>({
    pull: (controller) =>
      at < pieces.length ? controller.enqueue(pieces.subarray(at, (at += 4096))) : controller.close(),
  })
  const before = performance.now()
  for await (const block of readEventStream(stream)) expect(block.data!.length).toBe(data.length)
  expect(performance.now() - before).toBeLessThan(5000)
})
