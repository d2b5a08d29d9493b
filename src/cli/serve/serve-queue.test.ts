import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it, vi } from 'vitest'
import { openQueue } from './serve-queue.ts'

it.each(['1', 'many'])(
  'refuses --max-options %s before it connects, which would keep the process alive',
  async (most) => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.destroy()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    const args = { 'queue-plaintext': true, 'max-options': most }
    await expect(openQueue(`redis://127.0.0.1:${port}`, args)).rejects.toThrow(/max-?options/i)
    expect(connections).toBe(0)
    server.close()
  },
)

it('says that BullMQ is missing before it listens, and not with every call', async () => {
  vi.doMock('../../queue/load-bullmq.ts', () => ({
    requireBullmq: () => Promise.reject(new Error('a queue needs the package bullmq')),
  }))
  vi.resetModules()
  const { openQueue } = await import('./serve-queue.ts')
  await expect(openQueue('redis://127.0.0.1:1', { 'queue-plaintext': true })).rejects.toThrow(
    'needs the package bullmq',
  )
  vi.doUnmock('../../queue/load-bullmq.ts')
})
