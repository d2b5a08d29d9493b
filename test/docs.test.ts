import { execFile } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createNodeServer } from '../src/http/adapters/node.ts'
import { createServer, type RequestLog } from '../src/http/index.ts'
import { listen, type Listening } from '../src/http/test-support/listen.ts'
import { createEngine, type Engine } from '../src/index.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const DOCUMENTS = [
  'README.md',
  ...readdirSync(`${root}docs`)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
/** Run in a browser: test/browser/needed-files.test.ts. */
const IN_BROWSERS = "from 'tessera-onnx/web'"
/** These need an adapter's weights or a Redis server, or listen until they are ended; tests of their own have that. They are compiled with all others. */
const ELSEWHERE = ['./ink.safetensors', 'control: {', "'tessera-onnx/queue'", "'tessera-onnx/express'"]
/** What blocks that only export are called with. */
const CALLS: Readonly<Record<string, string>> = {
  'electron-1': "console.log(await isAngry('Where is my parcel?'))",
  'errors-2': `const answer = toResponse(await decide({ ...request, questions: {} } as never).catch((error) => error))
const { stack, code, path } = await answer.json()
if (stack !== undefined) throw new Error('the stack reaches the client')
console.log(answer.status, code, path)`,
  'lambda-1': `const text = 'Where is my parcel?'
const said = [await handler({ body: text }), await handler({ body: btoa(text), isBase64Encoded: true })].map(({ body }) => body)
if (said[0] !== said[1]) throw new Error('the same text in base64 is another one')
console.log(said[0])`,
  'lambda-2': `const event = { version: '2.0', rawPath: '/v1/models', rawQueryString: '', isBase64Encoded: false }
const { statusCode } = await handler({ ...event, headers: { host: 'localhost' }, requestContext: { http: { method: 'GET' } } } as never)
if (statusCode !== 200) throw new Error('the function answered with ' + statusCode)
console.log(statusCode)`,
  'service-2': `const { createHmac: sign } = await import('node:crypto')
const at = String(Math.floor(Date.now() / 1000))
const said = '{"type":"job.succeeded","data":{}}'
const mac = sign('sha256', Buffer.alloc(32)).update('msg_1.' + at + '.' + said).digest('base64')
const sent = { 'webhook-id': 'msg_1', 'webhook-timestamp': at, 'webhook-signature': 'v1,' + mac }
console.log(verifyWebhook('whsec_' + Buffer.alloc(32).toString('base64'), new Headers(sent), said).type)`,
  'next-1': `const asked = new Request('http://localhost/triage', { method: 'POST', body: 'Where is my parcel?' })
console.log(await (await POST(asked)).text())`,
  'next-2': `const headers = { authorization: 'Bearer a-long-secret' }
const params = Promise.resolve({ path: ['v1', 'models'] })
console.log((await GET(new Request('http://localhost/ai/v1/models', { headers }), { params })).status)`,
}
/** Models that nobody has without a download, and the embedded ones that stand in for them. */
const STAND_INS: Readonly<Record<string, string>> = {
  "'Qwen/Qwen3-4B'": "'decide-mini'",
  "'./z-image'": "'image-mini'",
  "'./klein'": "'image-mini'",
}
// Two folders below the root, as deep as the library looks upwards for its models.
const folder = `${root}out/docs-test-${process.pid}`

interface Block {
  readonly name: string
  readonly kind: string
  readonly code: string
}

const blocks: readonly Block[] = DOCUMENTS.flatMap((document) => {
  const found = readFileSync(root + document, 'utf8').matchAll(/^```(ts|js|json)\n([\s\S]*?)^```$/gm)
  const counts: Record<string, number> = {}
  return Array.from(found, ([, kind, code]) => {
    counts[kind!] = (counts[kind!] ?? 0) + 1
    const page = document.replace('docs/', '').replace('.md', '')
    return { name: `${page}-${counts[kind!]}`, kind: kind!, code: code! }
  })
})
const programs = blocks.filter(
  ({ kind, code }) => kind === 'ts' && [IN_BROWSERS, ...ELSEWHERE].every((word) => !code.includes(word)),
)

let engine: Engine
let service: Listening
const answered: RequestLog[] = []
beforeAll(async () => {
  engine = await createEngine({ backend: 'cpu', threads: 1 })
  const server = createServer({ engine, keys: ['a-long-secret'], log: (entry) => answered.push(entry) })
  service = await listen(createNodeServer(server))
  mkdirSync(folder, { recursive: true })
  for (const { name, code } of programs) writeFileSync(`${folder}/${name}.ts`, asProgram(name, code))
  const entries = Object.fromEntries(programs.map(({ name }) => [name, `${folder}/${name}.ts`]))
  await build({
    entryPoints: { ...entries, worker: `${root}src/engine/worker/worker.ts` },
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    // The package says that its modules do nothing by themselves; the prelude does.
    ignoreAnnotations: true,
    alias: {
      'tessera-onnx': `${root}src/index.ts`,
      'tessera-onnx/server': `${root}src/http/index.ts`,
      'tessera-onnx/hono': `${root}src/http/adapters/hono.ts`,
      'tessera-onnx/next': `${root}src/http/adapters/next.ts`,
      'tessera-onnx/queue': `${root}src/queue/index.ts`,
      'tessera-onnx/ai-sdk': `${root}src/ai-sdk/index.ts`,
    },
  })
})
afterAll(async () => {
  await service?.close()
  await engine?.dispose()
  rmSync(folder, { recursive: true, force: true })
})

function asProgram(name: string, code: string): string {
  const stood = Object.entries(STAND_INS).reduce((text, [model, standIn]) => text.replaceAll(model, standIn), code)
  const asked = stood.replaceAll('http://localhost:8080', service.url)
  return `import ${JSON.stringify(`${root}test/helpers/docs-prelude.ts`)}\n${asked}\n${CALLS[name] ?? ''}`
}

describe('blocks of TypeScript in the documents', () => {
  it('are all of them', () => {
    expect(programs.length).toBeGreaterThan(15)
    expect(Object.keys(CALLS).filter((name) => !programs.some((block) => block.name === name))).toEqual([])
  })

  it.each(programs)('$name runs, says what it says and ends', async ({ name, code }) => {
    const asks = code.includes('http://localhost:8080')
    const before = answered.length
    const env = { ...process.env, TESSERA_KEY: 'a-long-secret' }
    // What they write stays there.
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [`${folder}/${name}.js`], {
      cwd: folder,
      env,
    })
    expect(stderr).toBe('')
    if (code.includes('console.log(') || name in CALLS) expect(stdout.trim()).not.toBe('')
    // The base64 of a picture may spell either word by chance.
    expect(stdout.replace(/base64,[\w+/=]+/g, 'base64')).not.toMatch(/undefined|NaN/)
    const statuses = answered.slice(before).map(({ status }) => status)
    // One answer, or those of a job.
    expect(statuses.filter((status) => status >= 300)).toEqual([])
    expect(statuses.length > 0).toBe(asks)
  })
})

describe('other blocks', () => {
  it.each(blocks.filter(({ kind }) => kind === 'js'))('$name is a configuration that can be read', async ({ code }) => {
    const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { default: object }
    expect(Object.keys(module.default).length).toBeGreaterThan(0)
  })

  it.each(blocks.filter(({ kind }) => kind === 'json'))('$name is JSON', ({ code }) => {
    expect(JSON.parse(code)).toEqual(expect.any(Object))
  })
})
