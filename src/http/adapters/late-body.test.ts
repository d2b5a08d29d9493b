import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { createServer, type RequestLog } from '../index.ts'
import { listen } from '../test-support/listen.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { createNodeServer } from './node.ts'

it('a body that does not arrive in time is 408 to its client, and in the log', async () => {
  const entries: RequestLog[] = []
  const server = createServer({ engine: createStubEngine().engine, log: (entry) => void entries.push(entry) })
  const slow = await listen(createNodeServer(server, { requestMs: 200 }))
  const head = 'POST /v1/systemone HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9'
  const socket = connect(slow.port, '127.0.0.1', () => socket.write(`${head}\r\n\r\n{`))
  let received = ''
  for await (const chunk of socket) received += chunk
  expect(received).toMatch(/^HTTP\/1\.1 408 /)
  await expect.poll(() => entries).toMatchObject([{ route: '/v1/systemone', status: 408 }])
  await slow.close()
})
