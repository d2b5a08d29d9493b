import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { transformSync } from 'esbuild'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type InstalledPackage, installPackage, runIn } from './helpers/installed-package.ts'

/** Unzipped, with the code of the function. */
const LAMBDA_LIMIT = 250e6
const KEY = 'a-long-secret'
const readDocument = (name: string) => readFile(new URL(`../docs/${name}`, import.meta.url), 'utf8')

async function weigh(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** What a Dockerfile of the documents sets, runs and starts. */
async function readDockerfile() {
  const [, text] = /^```dockerfile\n([\s\S]*?)^```$/m.exec(await readDocument('production.md'))!
  const [, name, value] = /^ENV (\w+)=(\w+)$/m.exec(text!)!
  const [, script] = /^RUN (.+)$/m.exec(text!)!
  const [, command] = /^CMD (.+)$/m.exec(text!)!
  return { env: { [name!]: value! }, script: script!, command: JSON.parse(command!) as string[] }
}

describe.skipIf(process.platform === 'win32')('an app that was made as small as the documents say', () => {
  let installed: InstalledPackage
  let app: string
  let docker: Awaited<ReturnType<typeof readDockerfile>>
  beforeAll(async () => {
    docker = await readDockerfile()
    installed = await installPackage()
    ;({ app } = installed)
    await rm(join(app, 'node_modules'), { recursive: true })
    const { code, stderr } = runIn(app, '/bin/sh', ['-c', docker.script], { env: docker.env })
    if (code !== 0) throw new Error(stderr)
  }, 900_000)
  afterAll(() => installed?.remove())

  it('answers as the function for Lambda, within its limit', async () => {
    const [, handler] = /^```ts\n([\s\S]*?)^```$/m.exec(await readDocument('lambda.md'))!
    // The folder that a function is unpacked to, which has nothing else.
    const task = join(app, 'task')
    await mkdir(task)
    await cp(join(app, 'node_modules'), join(task, 'node_modules'), { recursive: true, verbatimSymlinks: true })
    await writeFile(join(task, 'index.mjs'), transformSync(handler!, { loader: 'ts' }).code)
    const invoke =
      "const { handler } = await import('./index.mjs'); console.log(JSON.stringify(await handler({ body: 'Where is it?' })))"
    expect(await weigh(task)).toBeLessThan(LAMBDA_LIMIT)
    const { code, stdout, stderr } = runIn(task, process.execPath, ['--input-type=module', '-e', invoke])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { statusCode, body } = JSON.parse(stdout) as { statusCode: number; body: string }
    expect([statusCode, JSON.parse(body)]).toEqual([200, { angry: expect.any(Number) }])
  })

  it('serves as the container of the documents starts it', async () => {
    const sha256 = createHash('sha256').update(KEY).digest('hex')
    await writeFile(join(app, 'keys.json'), JSON.stringify({ keys: [{ id: 'shop', sha256 }] }))
    const places: Readonly<Record<string, string>> = { '8080': '0', '/run/secrets/keys.json': join(app, 'keys.json') }
    const [program, ...words] = docker.command.map((word) => places[word] ?? word)
    const child = spawn(program!, words, { cwd: app, stdio: ['ignore', 'pipe', 'inherit'] })
    const url = await findUrl(child)
    const response = await fetch(`${url}/v1/systemone`, {
      method: 'POST',
      headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: '{"state":"x","questions":{"angry":{"type":"noul","instructions":"Is the writer angry?"}}}',
    })
    expect([response.status, await response.json()]).toEqual([200, expect.objectContaining({ model: 'decide-mini' })])
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})

async function findUrl(child: ChildProcess): Promise<string> {
  for await (const line of createInterface(child.stdout!)) {
    const [, port] = /listening on http:\/\/.*:(\d+)/.exec(line) ?? []
    if (port !== undefined) return `http://127.0.0.1:${port}`
  }
  throw new Error('the service ended before it listened')
}
