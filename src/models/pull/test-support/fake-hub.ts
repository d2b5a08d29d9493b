import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'

export const COMMIT = 'c'.repeat(40)

export interface FakeHub extends AsyncDisposable {
  readonly url: string
  /** `path range` of every file request, `-` without a range. */
  readonly downloads: string[]
  /** Cuts the next answer for this file after so many bytes, that long after they were sent: what a client has not read by then is lost. */
  cut(path: string, bytes: number, milliseconds?: number): void
  /** Breaks every connection for this file before a byte is sent, until it is called with false. */
  refuse(path: string, refused?: boolean): void
  /** Gives these answers in place of the next ones to requests whose path has such an end. */
  answer(
    path: string,
    ...answers: readonly { readonly status: number; readonly headers?: Record<string, string> }[]
  ): void
  /** Sends whole files only, as a server that knows no ranges does. */
  ignoreRanges(): void
  /** Sends this file in many pieces with pauses. */
  slow(path: string): void
  /** Serves other bytes for this file than it lists. */
  corrupt(path: string): void
  /** Says this in place of the commit (`sha`), or the hashes in git (`oid`) or sizes (`size`) of files. */
  lie(field: string, value: string): void
}

/** The hub's HTTP interface for one repository: what it lists, and its files with ranges. */
export async function startFakeHub(
  files: Readonly<Record<string, string | Buffer>>,
  token?: string,
  id = 'owner/model',
): Promise<FakeHub> {
  const downloads: string[] = []
  const cuts = new Map<string, { bytes: number; milliseconds: number }>()
  const corrupted = new Set<string>()
  const slow = new Set<string>()
  const refused = new Set<string>()
  const answers = new Map<string, { status: number; headers?: Record<string, string> }[]>()
  let ranges = true
  const lies: Record<string, string> = {}
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://hub').pathname)
    const [, waiting] = [...answers].find(([end, left]) => path.endsWith(end) && left.length > 0) ?? []
    const answer = waiting?.shift()
    if (answer) return void response.writeHead(answer.status, answer.headers).end()
    const json = (status: number, body: unknown) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    if (token !== undefined && request.headers.authorization !== `Bearer ${token}`)
      return json(401, { error: 'no access' })
    if (['main', COMMIT].some((revision) => path.startsWith(`/api/models/${id}/revision/${revision}`)))
      return json(200, { id, sha: lies['sha'] ?? COMMIT })
    const [, revision] = path.split(`/api/models/${id}/revision/`)
    if (revision !== undefined) return json(404, { error: `Invalid rev id: ${revision}` })
    if (path.startsWith(`/api/models/${id}/tree/${COMMIT}`))
      return json(
        200,
        Object.entries(files).map((file) => describeFile(file, lies)),
      )
    const name = path.replace(`/${id}/resolve/${COMMIT}/`, '')
    if (refused.has(name)) return void response.destroy()
    const text = files[name]
    if (text === undefined) return json(404, { error: 'not found' })
    const content = Buffer.from(corrupted.has(name) ? String(text).replaceAll('e', 'x') : text)
    const [, from, to] = /bytes=(\d+)-(\d*)/.exec((ranges && request.headers.range) || '') ?? []
    const part = content.subarray(Number(from ?? 0), to ? Number(to) + 1 : undefined)
    downloads.push(`${name} ${from ?? '-'}`)
    const cut = cuts.get(name)
    response.writeHead(from === undefined ? 200 : 206, {
      etag: '"x"',
      'content-length': part.length,
      'content-range': `bytes ${from ?? 0}-${part.length}/${content.length}`,
    })
    if (slow.has(name)) return Readable.from(sendSlowly(part)).pipe(response)
    if (cut === undefined) return response.end(part)
    cuts.delete(name)
    response.write(part.subarray(0, cut.bytes), () => setTimeout(() => response.destroy(), cut.milliseconds))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    downloads,
    cut: (path, bytes, milliseconds = 50) => void cuts.set(path, { bytes, milliseconds }),
    refuse: (path, isRefused = true) => void (isRefused ? refused.add(path) : refused.delete(path)),
    answer: (path, ...given) => void answers.set(path, [...given]),
    ignoreRanges: () => void (ranges = false),
    slow: (path) => slow.add(path),
    corrupt: (path) => corrupted.add(path),
    lie: (field, value) => void (lies[field] = value),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function* sendSlowly(content: Buffer): AsyncGenerator<Buffer> {
  const size = Math.ceil(content.length / 20)
  for (let at = 0; at < content.length; at += size) {
    yield content.subarray(at, at + size)
    await wait(10)
  }
}

function describeFile([path, text]: [string, string | Buffer], lies: Readonly<Record<string, string>>) {
  const size = Number(lies['size'] ?? Buffer.byteLength(text))
  const oid = lies['oid'] ?? createHash('sha1').update(`blob ${size}\0`).update(text).digest('hex')
  const lfs = { oid: createHash('sha256').update(text).digest('hex'), size, pointerSize: 130 }
  return { type: 'file', path, size, oid, ...(path.endsWith('.safetensors') && { lfs }) }
}
