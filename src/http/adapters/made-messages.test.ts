import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { Writable } from 'node:stream'
import { expect, it } from 'vitest'
import { createServer } from '../index.ts'
import { BODY } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { toNodeListener } from './node.ts'

/** Answers a request made of an event, as serverless-http does: it sets `headers`, and nothing is in `rawHeaders`. */
async function answerEvent(headers: Record<string, string | string[]>, body: string): Promise<string> {
  const { engine } = createStubEngine()
  const message = Object.assign(new IncomingMessage(new Socket()), { method: 'POST', url: '/v1/systemone' })
  Object.assign(message, { headers, body: Buffer.from(body) })
  const response = new ServerResponse(message)
  const chunks: Buffer[] = []
  const sink = new Writable({ write: (chunk: Buffer, _, done) => done(void chunks.push(chunk)) })
  response.assignSocket(sink as Socket)
  toNodeListener(createServer({ engine, keys: ['k'] }))(message, response)
  await new Promise((resolve) => response.once('finish', resolve))
  return Buffer.concat(chunks).toString()
}

it('reads the headers of a request that came over no connection', async () => {
  const body = JSON.stringify(BODY)
  const json = { 'content-type': 'application/json', 'content-length': String(body.length) }
  expect(await answerEvent({ ...json, authorization: 'Bearer k' }, body)).toMatch(/^HTTP\/1\.1 200 OK\r\n/)
  // One that came twice is still two.
  expect(await answerEvent({ ...json, authorization: ['Bearer k', 'Bearer l'] }, body)).toMatch(/^HTTP\/1\.1 401 /)
})
