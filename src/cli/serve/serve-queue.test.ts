import { once } from 'node:events'
import { createServer } from 'node:net'
import { expect, it } from 'vitest'
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
