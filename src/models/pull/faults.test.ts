import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { link, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, expect, it, vi } from 'vitest'
import { killGroup } from '../../../test/helpers/kill-group.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { DownloadFailedError } from '../../errors/index.ts'
import { pause } from './pause.ts'
import { pullModel } from './pull-model.ts'
import type { PullRetry } from './retry.ts'
import { COMMIT, type FakeHub, startFakeHub } from './test-support/fake-hub.ts'

vi.mock('./pause.ts', () => ({ pause: vi.fn<typeof pause>(() => Promise.resolve()) }))

const SHARD = 'model-00001-of-00002.safetensors'
const FILES = {
  'config.json': '{}',
  [SHARD]: 'a'.repeat(40_000),
  'model-00002-of-00002.safetensors': 'b'.repeat(40_000),
}

let home: string
let retries: PullRetry[]
beforeEach(() => {
  home = temporaryFolder()
  retries = []
})

const pull = (hub: FakeHub, env: object = {}) =>
  pullModel({
    id: 'owner/model',
    env: { HF_HOME: home, HF_ENDPOINT: hub.url, ...env },
    onRetry: (retry) => retries.push(retry),
  })

async function expectWhole(folder: string, files: Readonly<Record<string, string>> = FILES): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    const whole = (await readFile(join(folder, name), 'utf8')) === text
    expect({ name, whole }).toEqual({ name, whole: true })
  }
}

it('goes on by itself where a connection breaks', async () => {
  await using hub = await startFakeHub(FILES)
  hub.cut(SHARD, 5000, 1000)
  await expectWhole(await pull(hub))
  expect(hub.downloads).toContain(`${SHARD} 5000`)
  expect(retries).toMatchObject([{ file: SHARD, reason: expect.stringMatching(/closed|early|reset/i) }])
  expect(retries[0]!.delay).toBeLessThanOrEqual(1000)
})

it('starts a file anew whose beginning was left by something else', async () => {
  await using hub = await startFakeHub(FILES)
  const blobs = join(home, 'hub', 'models--owner--model', 'blobs')
  const hash = createHash('sha256').update(FILES[SHARD]!).digest('hex')
  await mkdir(blobs, { recursive: true })
  await writeFile(join(blobs, `${hash}.tessera.incomplete`), 'x'.repeat(5000))
  await expectWhole(await pull(hub))
  expect(hub.downloads.filter((file) => file.startsWith(SHARD))).toEqual([`${SHARD} 5000`, `${SHARD} -`])
})

it('ends right after 50 cuts at random ends of many shards', async () => {
  const names = Array.from(
    { length: 25 },
    (_, index) => `model-${String(index + 1).padStart(5, '0')}-of-00025.safetensors`,
  )
  const files = Object.fromEntries(names.map((name) => [name, `${name} `.repeat(1500)]))
  await using hub = await startFakeHub({ 'config.json': '{}', ...files })
  let cuts = 0
  const cutAgain = (name: string) => {
    if (cuts >= 50) return
    cuts++
    hub.cut(name, 1 + Math.floor(Math.random() * 20_000))
  }
  for (const name of names) cutAgain(name)
  const folder = await pullModel({
    id: 'owner/model',
    env: { HF_HOME: home, HF_ENDPOINT: hub.url },
    onRetry: ({ file }) => cutAgain(file),
  })
  expect(cuts).toBe(50)
  await expectWhole(folder, files)
})

it('starts a file anew where the server knows no ranges', async () => {
  await using hub = await startFakeHub(FILES)
  hub.ignoreRanges()
  hub.cut(SHARD, 5000)
  await expectWhole(await pull(hub))
})

it.each([SHARD, 'revision/main'])(
  'tries again after 429 and 503 for %s, as long after as the hub asks',
  async (path) => {
    await using hub = await startFakeHub(FILES)
    hub.answer(path, { status: 429, headers: { 'retry-after': '7' } }, { status: 503 })
    await expectWhole(await pull(hub))
    expect(retries.map(({ reason }) => reason)).toEqual(['the hub answered 429', 'the hub answered 503'])
    expect(retries[0]!.delay).toBe(7000)
    expect(
      vi
        .mocked(pause)
        .mock.calls.slice(-2)
        .map(([delay]) => delay),
    ).toEqual(retries.map(({ delay }) => delay))
  },
)

it('stops where a file is longer than it is listed, and keeps nothing of it', async () => {
  await using hub = await startFakeHub(FILES)
  hub.lie('size', '1')
  await expect(pull(hub)).rejects.toThrow(/is longer than the 1 B that the repository lists/)
  const blobs = join(home, 'hub', 'models--owner--model', 'blobs')
  await expect.poll(() => readdir(blobs)).toEqual([])
  expect(retries).toEqual([])
})

it('does not wait for hours that the hub asks for, and says them', async () => {
  await using hub = await startFakeHub(FILES)
  hub.answer(SHARD, { status: 429, headers: { 'retry-after': '7200' } })
  await expect(pull(hub)).rejects.toThrow(
    /model-00001-of-00002\.safetensors stopped at 0 B of 40\.0 kB: the hub answered 429/,
  )
})

it('names file, bytes and cause where the connection breaks again and again without a new byte', async () => {
  await using hub = await startFakeHub(FILES)
  hub.cut(SHARD, 5000)
  const refusing = pullModel({
    id: 'owner/model',
    env: { HF_HOME: home, HF_ENDPOINT: hub.url },
    onRetry: () => hub.refuse(SHARD),
  })
  await expect(refusing).rejects.toThrow(
    /model-00001-of-00002\.safetensors stopped at 5\.00 kB of 40\.0 kB: .*Run the command again/,
  )
  hub.refuse(SHARD, false)
  await expectWhole(await pull(hub))
  expect(hub.downloads).toContain(`${SHARD} 5000`)
})

it('names the hub and what helps where it cannot be reached', async () => {
  const hub = await startFakeHub(FILES)
  await hub[Symbol.asyncDispose]()
  await expect(pull(hub)).rejects.toThrow(DownloadFailedError)
  await expect(pull(hub)).rejects.toThrow(new RegExp(`${hub.url} can't be reached: .*ECONNREFUSED.*HF_ENDPOINT`))
  const { length } = retries
  await expect(pull(hub, { HF_ENDPOINT: 'http://hub.invalid' })).rejects.toThrow(
    /hub\.invalid can't be reached: .*ENOTFOUND|EAI_AGAIN/,
  )
  expect(length).toBe(10)
})

it('goes through the proxy that the environment names', async () => {
  await using hub = await startFakeHub(FILES)
  let tunnels = 0
  const proxy = createServer()
  proxy.on('connect', (request: IncomingMessage, socket) => {
    tunnels++
    const [host, port] = request.url!.split(':')
    const upstream = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    upstream.on('error', () => socket.destroy())
    socket.on('error', () => upstream.destroy())
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  await expectWhole(await pull(hub, { HTTP_PROXY: url, HTTPS_PROXY: url }))
  expect(tunnels).toBeGreaterThan(0)
  proxy.closeAllConnections()
  proxy.close()
})

it('goes on at once after a process that was killed, and leaves nothing behind', async () => {
  await using hub = await startFakeHub(FILES)
  hub.slow(SHARD)
  const script = fileURLToPath(new URL('./test-support/pull-script.ts', import.meta.url))
  const runner = fileURLToPath(new URL('../../../scripts/run-ts.mjs', import.meta.url))
  const env = { ...process.env, HF_HOME: home, HF_ENDPOINT: hub.url }
  const child = spawn(process.execPath, [runner, script], { env, stdio: ['ignore', 'pipe', 'inherit'], detached: true })
  await new Promise<void>((resolve) => child.stdout.on('data', (text) => String(text).includes(SHARD) && resolve()))
  // The script runs in a process below the runner's, in the group that the runner leads.
  killGroup(child)
  await expectWhole(await pull(hub))
  expect(hub.downloads.filter((file) => file.startsWith(SHARD))).toEqual([
    `${SHARD} -`,
    expect.stringMatching(/ [1-9]\d*$/),
  ])
  const blobs = await readdir(join(home, 'hub', 'models--owner--model', 'blobs'))
  expect(blobs.filter((name) => name.endsWith('.incomplete'))).toEqual([])
})

it('replaces whole what says which commit a branch is, so that a process that ends meanwhile leaves the one before', async () => {
  await using hub = await startFakeHub(FILES)
  await pull(hub)
  const reference = join(home, 'hub', 'models--owner--model', 'refs', 'main')
  await writeFile(reference, 'before')
  // A second name of the file shows whether it is written into.
  const other = join(home, 'other')
  await link(reference, other)
  await pull(hub)
  expect(await readFile(reference, 'utf8')).toBe(COMMIT)
  expect(await readFile(other, 'utf8')).toBe('before')
})

it('names what to set where the cache cannot be written', async () => {
  await using hub = await startFakeHub(FILES)
  const file = join(home, 'a-file')
  await writeFile(file, '')
  await expect(pull(hub, { HF_HOME: file })).rejects.toThrow(/ENOTDIR.*; take a folder that can be written.*HF_HOME/)
})

it('stops on an abort while it checks what is there, and keeps it', async () => {
  const content = 'a'.repeat(1_000_000)
  await using hub = await startFakeHub({ 'model.safetensors': content })
  const blob = join(home, 'hub', 'models--owner--model', 'blobs', createHash('sha256').update(content).digest('hex'))
  await mkdir(dirname(blob), { recursive: true })
  await writeFile(`${blob}.tessera.incomplete`, content)
  const controller = new AbortController()
  const env = { HF_HOME: home, HF_ENDPOINT: hub.url }
  const onProgress = () => controller.abort()
  await expect(pullModel({ id: 'owner/model', env, signal: controller.signal, onProgress })).rejects.toMatchObject({
    code: 'aborted',
  })
  expect(await readdir(dirname(blob))).toEqual([`${basename(blob)}.tessera.incomplete`])
  expect(hub.downloads).toEqual([])
})
