import { type ChildProcess, spawn } from 'node:child_process'
import { randomFillSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import sharp from 'sharp'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { bundleWorker } from '../src/engine/test-support/bundle-worker.ts'

const MIB = 2 ** 20
const CLIENTS = 16

/** Memory is read from /proc, and the limit is one of Linux, whose allocator gives large blocks back. */
const canMeasure = process.platform === 'linux'

let cli: string
let picture: Buffer
beforeAll(async () => {
  cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'memory-cli'))
  // Noise, which nothing makes smaller: 22 MiB as a file, 30 MiB as base64.
  const side = 2790
  const pixels = randomFillSync(Buffer.alloc(side * side * 3))
  picture = await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer()
})

let service: ChildProcess
afterEach(() => service.kill('SIGKILL'))

async function start(): Promise<string> {
  const args = ['serve', '--port', '0', '--store', 'memory', '--no-access-log', '--backend', 'cpu', '--threads', '1']
  service = spawn(process.execPath, [cli, ...args, '--preload', '--use', 'beta-klein-4b=image-mini'], {
    env: { ...process.env, TESSERA_API_KEYS: 'k' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  for await (const line of createInterface({ input: service.stdout! })) {
    if (line.startsWith('listening on ')) return line.slice('listening on '.length)
  }
  throw new Error('the service ended before it listened')
}

/** Until the models of `--preload` are open and have answered once. */
async function untilReady(url: string): Promise<void> {
  await vi.waitFor(async () => expect((await fetch(`${url}/readyz`)).status).toBe(200), {
    timeout: 60_000,
    interval: 100,
  })
}

/** Most memory that the service ever had, in MiB. */
function peak(): number {
  const status = readFileSync(`/proc/${service.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)![1]) / 1024
}

function send(url: string, body: Buffer, type: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer k', 'content-type': type, 'content-length': body.length }
    const sent = request(`${url}/v1/images/edits`, { method: 'POST', headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!))
    })
    sent.once('error', reject).end(body)
  })
}

const toJson = (image: string) => Buffer.from(JSON.stringify({ prompt: 'change the background to yellow', image }))
const toForm = (file: Buffer) => {
  const part = (name: string) => `--b\r\nContent-Disposition: form-data; name="${name}"`
  const head = `${part('prompt')}\r\n\r\nblue\r\n${part('image')}; filename="a.png"\r\n\r\n`
  return Buffer.concat([Buffer.from(head), file, Buffer.from('\r\n--b--\r\n')])
}

describe.runIf(canMeasure)('16 edits of 31 MiB at once take less than 450 MiB beside the open models', () => {
  const json = (image: string) => ({ body: toJson(image), type: 'application/json' })
  const form = () => ({ body: toForm(picture), type: 'multipart/form-data; boundary=b' })

  it.each([
    ['as JSON and as forms', 200, () => [json(picture.toString('base64')), form()]],
    ['of text that is no picture', 422, () => [json('~'.repeat(30 * MIB))]],
  ] as const)('%s', async (_, status, make) => {
    const url = await start()
    await untilReady(url)
    const before = peak()
    const bodies = make()
    const statuses = await Promise.all(
      Array.from({ length: CLIENTS }, (_, client) => {
        const { body, type } = bodies[client % bodies.length]!
        return send(url, body, type)
      }),
    )
    // Those that waited for ten seconds are told to come again.
    expect(new Set([status, 529, ...statuses])).toEqual(new Set([status, 529]))
    expect(statuses).toContain(status)
    expect(peak() - before).toBeLessThan(450)
  })
})
