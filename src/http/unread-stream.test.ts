import { expect, it } from 'vitest'
import { UnreadStream } from './unread-stream.ts'

it('has left who read all that was written before it ended, and has not asked for more yet', async () => {
  const stream = new UnreadStream(new AbortController().signal, () => {})
  const reader = stream.readable.getReader()
  const reading = reader.read()
  const left: string[] = []
  stream.write([Buffer.from('a'), Buffer.from('b')], () => left.push('x'))
  await reading
  await reader.read()
  stream.end()
  expect((await reader.read()).done).toBe(true)
  expect(left).toEqual(['x'])
})
