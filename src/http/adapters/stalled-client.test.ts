import { once } from 'node:events'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { listen, type Listening } from '../test-support/listen.ts'
import { createNodeServer } from './node.ts'

const MEGABYTES = 32 * 2 ** 20

let listening: Listening
afterEach(() => listening.close())

/** Waits for what a test takes for long. */
async function open(timeoutMs: number) {
  let answer: (response: Response) => void = () => {}
  const late = new Promise<Response>((resolve) => (answer = resolve))
  const http = createNodeServer({
    fetch: async ({ url }) => {
      if (url.endsWith('/late')) return late
      return new Response(url.endsWith('/small') ? 'small' : new Uint8Array(MEGABYTES))
    },
  })
  expect(http.timeout).toBe(300_000)
  http.timeout = timeoutMs
  listening = await listen(http)
  return { answer, address: `http://127.0.0.1:${listening.port}` }
}

it('a client that reads nothing of its answer is cut off, and one that reads on is not', async () => {
  const { address } = await open(1000)
  const silent = connect(listening.port, '127.0.0.1').on('error', () => {})
  // Listened for from the start, as it may be cut off while the other one still reads.
  const closed = new Promise((resolve) => silent.on('close', resolve))
  silent.write('GET /large HTTP/1.1\r\nHost: x\r\n\r\n')
  await once(silent, 'readable')
  const { body } = await fetch(`${address}/large`)
  let received = 0
  let paused = 0
  for await (const chunk of body!) {
    received += chunk.byteLength
    // As a slow line, which takes longer than one that stands still may.
    while (paused < 16 * (received / MEGABYTES)) {
      await sleep(150)
      paused += 1
    }
  }
  expect(received).toBe(MEGABYTES)
  let sent = 0
  silent.on('data', (data) => (sent += data.length))
  await closed
  expect(sent).toBeLessThan(MEGABYTES)
}, 60_000)

it('a client that waits for its answer is not cut off, nor one that keeps its connection for the next', async () => {
  const { answer, address } = await open(200)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = (path: string) =>
    new Promise<[number | undefined, boolean]>((resolve, reject) => {
      const request = get(`${address}${path}`, { agent }, (response) => {
        response.resume().on('end', () => resolve([response.statusCode, request.reusedSocket]))
      }).on('error', reject)
    })
  const waiting = ask('/late')
  await sleep(1500)
  answer(new Response('late'))
  expect(await waiting).toEqual([200, false])
  await sleep(1500)
  expect(await ask('/late2')).toEqual([200, true])
  agent.destroy()
}, 60_000)

it('a client that asks for two answers at once is not cut off while it waits for the second', async () => {
  const { answer } = await open(200)
  let received = ''
  const client = connect(listening.port, '127.0.0.1').on('data', (data) => (received += String(data)))
  client.write(['/small', '/late'].map((path) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`).join(''))
  await expect.poll(() => received, { timeout: 20_000 }).toContain('small')
  await sleep(1500)
  answer(new Response('second'))
  await expect.poll(() => received, { timeout: 20_000 }).toContain('second')
  client.destroy()
}, 60_000)
