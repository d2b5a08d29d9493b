import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InstalledPackage, installPackage, npmInstall, runIn } from './helpers/installed-package.ts'

/** Next and what it needs are 342 MB, and its build takes a minute: for those who ask for it. */
const WANTED = process.env.TESSERA_TEST_NEXT !== undefined

const FILES = {
  // As docs/next.md has it for a standalone output, which is moved to another folder and has nothing else. Roots are named, as a
  // folder above may have a lockfile of somebody else's, which Next would take for that of the app.
  'next.config.mjs': `const files = ['tessera-onnx/models/**', 'onnxruntime-node/bin/*/${process.platform}/${process.arch}/*']
export default {
  output: 'standalone',
  serverExternalPackages: ['tessera-onnx'],
  outputFileTracingIncludes: { '/**': files.map((file) => \`node_modules/\${file}\`) },
  outputFileTracingRoot: import.meta.dirname,
  turbopack: { root: import.meta.dirname },
}`,
  'app/layout.jsx': 'export default ({ children }) => <html lang="en"><body>{children}</body></html>',
  'app/ai/[...path]/route.js': `import { decide, countTokens, editImage, generateImage } from 'tessera-onnx'
import { toNextHandlers } from 'tessera-onnx/next'
import { createServer } from 'tessera-onnx/server'

export const runtime = 'nodejs'
const models = async () => [{ name: 'decide-latest', available: true }]
const server = createServer({ engine: { decide, countTokens, editImage, generateImage, models }, keys: [{ key: 'right', scopes: ['decide', 'images', 'metrics'] }] })
export const { GET, POST, PUT, PATCH, DELETE } = toNextHandlers(server)
`,
}

/** Next prints the port that it was given, and not the one that it listens on. */
async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

const QUESTIONS = '{"__proto__":{"type":"noul","instructions":"Is it urgent?"}}'

describe.skipIf(!WANTED)('an app of the real Next.js (TESSERA_TEST_NEXT=1)', () => {
  let installed: InstalledPackage
  let stop = async () => {}
  let base: string
  const alone = join(tmpdir(), `tessera-standalone-${process.pid}`)
  beforeAll(async () => {
    installed = await installPackage()
    const { app } = installed
    if (!(await npmInstall(app, 'next', 'react', 'react-dom'))) throw new Error('the npm registry cannot be reached')
    await mkdir(join(app, 'app/ai/[...path]'), { recursive: true })
    for (const [name, text] of Object.entries(FILES)) await writeFile(join(app, name), text)
    const next = join(app, 'node_modules/next/dist/bin/next')
    const env = { NEXT_TELEMETRY_DISABLED: '1' }
    const { code, stdout, stderr } = runIn(app, process.execPath, [next, 'build'], { env })
    if (code !== 0) throw new Error(stdout + stderr)
    // Moved away from the app, whose node_modules would stand in for what the output lacks.
    await rename(join(app, '.next/standalone'), alone)
    const child = spawn(process.execPath, ['server.js'], {
      cwd: alone,
      env: { ...process.env, ...env, PORT: String(await findFreePort()), HOSTNAME: 'localhost' },
    })
    stop = async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    }
    for await (const line of createInterface(child.stdout)) {
      const [, url] = /(http:\/\/localhost:\d+)/.exec(line) ?? []
      if (url !== undefined) base = `${url}/ai`
      if (line.includes('Ready')) break
    }
  }, 600_000)
  afterAll(async () => {
    await stop()
    await rm(alone, { recursive: true, force: true })
    await installed?.remove()
  })

  const headers = { authorization: 'Bearer right', 'content-type': 'application/json' }
  const send = (path: string, body: BodyInit, init: RequestInit = {}) =>
    fetch(base + path, { method: 'POST', headers, body, ...init })

  it('answers, with names as they are', async () => {
    const response = await send('/v1/systemone', `{"state":"The parcel is late","questions":${QUESTIONS}}`)
    expect([response.status, await response.text()]).toEqual([
      200,
      expect.stringContaining('{"__proto__":{"type":"noul"'),
    ])
  })

  it('answers what is wrong in its own form', async () => {
    const statuses = [
      [401, send('/v1/systemone', '{}', { headers: { 'content-type': 'application/json' } })],
      [404, send('/v1/nope', '{}')],
      [405, fetch(`${base}/v1/models`, { method: 'DELETE', headers })],
      [413, send('/v1/systemone', 'x'.repeat(9_000_000))],
      [422, send('/v1/systemone', '{')],
    ] as const
    for (const [status, sent] of statuses) {
      const response = await sent
      expect([response.status, await response.json()]).toEqual([
        status,
        expect.objectContaining({
          message: expect.any(String),
          error_type: expect.any(String),
        }),
      ])
    }
  })

  it('reads a form with a file of megabytes', async () => {
    const form = new FormData()
    form.append('image', new Blob([Buffer.alloc(5_000_000)]), 'a.png')
    const response = await send('/v1/images/edits', form, { headers: { authorization: 'Bearer right' } })
    expect([response.status, await response.json()]).toEqual([
      422,
      expect.objectContaining({
        message: expect.stringMatching(/^prompt: is required/),
      }),
    ])
  })

  it('stops the work when the client hangs up', async () => {
    const body = JSON.stringify({
      state: 'word '.repeat(39_000),
      questions: { q: { type: 'noul', instructions: 'x' } },
    })
    await expect(send('/v1/systemone', body, { signal: AbortSignal.timeout(500) })).rejects.toThrow()
    const metrics = async () => (await fetch(`${base}/metrics`, { headers })).text()
    await expect.poll(metrics, { timeout: 120_000 }).toContain('route="/v1/systemone",method="POST",status="499"} 1\n')
  })
})
