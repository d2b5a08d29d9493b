import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { type CommandDef, runCommand } from 'citty'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EXAMPLES } from '../src/cli/examples.ts'
import { mainCommand } from '../src/cli/main-command.ts'
import { refuseUnknownArguments } from '../src/cli/refuse-unknown-arguments.ts'
import { bundleWorker } from '../src/engine/test-support/bundle-worker.ts'
import { createServer, type Server } from '../src/http/index.ts'
import { createEngine, type Engine } from '../src/index.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const DOCUMENTS = [
  'README.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]
const run = promisify(execFile)
const KEY = 'a-long-secret'

/** Programs that the documents name. A block that starts any other fails: there is none on its path. */
const PROGRAMS = ['npx', 'tessera', 'npm', 'node', 'curl']
/** What is computed here, with the embedded models. Everything else would download, serve, or change node_modules. */
const COMPUTED = ['decide', 'generate', 'edit', 'eval', 'calibrate', 'doctor', 'models']

const QUESTION = { type: 'noul', instructions: 'Is the writer angry?' }
const LABELLED = { state: 'Where is my parcel?', labels: { angry: false } }
const twelve = (row: object) => `${JSON.stringify(row)}\n`.repeat(12)
/** Files that the blocks read. */
const FILES = {
  'ticket.json': '{"subject":"Charged twice"}',
  'ticket.txt': 'Where is my parcel?',
  'questions.json': JSON.stringify({ angry: QUESTION }),
  'request.json': JSON.stringify({ state: 'Where is my parcel?', questions: { angry: QUESTION } }),
  'batch.jsonl': `${JSON.stringify({ custom_id: 'a', state: 'Where is my parcel?', questions: { angry: QUESTION } })}\n`,
  'rows.csv': 'subject\nCharged twice\nWhere is my parcel?\n',
  'labels.jsonl': twelve({ ...LABELLED, questions: { angry: QUESTION } }),
  'rows.jsonl': twelve(LABELLED),
}

/**
 * Writes down how it was called, words ended by a zero and calls by a line end, as no word has one; computes where it
 * is the command line with a command and models that are here.
 */
const stub = (cli: string) => `#!/bin/sh
printf '%s\\0' "\${0##*/}" "$@" >> "$CALLS"
printf '\\n' >> "$CALLS"
[ "$COMPUTES" = yes ] || exit 0
case "$0" in */npx) shift ;; */tessera) ;; *) exit 0 ;; esac
case " $* " in *Qwen/*|*qwen3*|*--lora*|*--control*|*./klein*|*"models show"*|*"models rm"*) exit 0 ;; esac
case " ${COMPUTED.join(' ')} " in *" $1 "*) exec "${process.execPath}" "${cli}" "$@" ;; esac
`

const folder = temporaryFolder()
let bin: string
let engine: Engine
let server: Server
let job = ''
beforeAll(async () => {
  engine = await createEngine({ backend: 'cpu', threads: 1 })
  server = createServer({ engine, keys: [KEY] })
  bin = join(folder, 'bin')
  await mkdir(bin)
  const cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'cli-main'))
  for (const program of PROGRAMS) {
    await writeFile(join(bin, program), stub(cli))
    await chmod(join(bin, program), 0o755)
  }
})
afterAll(async () => {
  await server?.close()
  await engine?.dispose()
})

/** A folder with the files that blocks read, for what they write. */
async function makeFolder(): Promise<string> {
  const made = await mkdtemp(join(folder, 'work-'))
  for (const [name, text] of Object.entries(FILES)) await writeFile(join(made, name), text)
  return made
}

/** What a shell makes of a script: the words of every call, in turn. */
async function callsOf(script: string, cwd: string, computes = false): Promise<string[][]> {
  const log = join(folder, 'calls')
  await rm(log, { force: true })
  const env = {
    PATH: bin,
    CALLS: log,
    COMPUTES: computes ? 'yes' : 'no',
    HOME: folder,
    NO_COLOR: '1',
    TESSERA_KEY: KEY,
  }
  await run('/bin/bash', ['--norc', '-eu', '-c', script], { cwd, env })
  const text = await readFile(log, 'utf8')
  return text.split('\0\n').flatMap((call) => (call === '' ? [] : [call.split('\0')]))
}

/** What the service answers to what curl was told to send; a job is the one that was begun last. */
async function ask(words: readonly string[]): Promise<Response> {
  const options = {
    header: { type: 'string', short: 'H', multiple: true },
    data: { type: 'string', short: 'd' },
    'data-binary': { type: 'string' },
  } as const
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { ...options, include: { type: 'boolean', short: 'i' } },
    allowPositionals: true,
  })
  const headers = (values.header ?? []).map((header) => header.split(': ') as [string, string])
  const url = positionals[0]!.replace(/job_[0-9a-f]+/, job)
  const file = values['data-binary']?.slice(1) as keyof typeof FILES | undefined
  const body = file ? FILES[file] : values.data
  const send = () => server.fetch(new Request(url, { headers, ...(body && { method: 'POST', body }) }))
  // A batch that was begun in the line before takes a moment.
  if (url.endsWith('/results')) await expect.poll(async () => (await send()).status, { timeout: 20_000 }).toBe(200)
  const response = await send()
  job = response.headers.get('location')?.split('/').at(-1) ?? job
  return response
}

/** The same command line, which reads its arguments and does nothing. */
async function withoutWork(command: CommandDef): Promise<CommandDef> {
  const { args, subCommands, run: work } = command
  const inner = Object.entries((await valueOf(subCommands)) ?? {}).map(async ([name, one]) => {
    return [name, await withoutWork((await valueOf(one)) as CommandDef)] as const
  })
  return {
    ...command,
    args: (await valueOf(args)) ?? {},
    ...(subCommands && { subCommands: Object.fromEntries(await Promise.all(inner)) }),
    ...(work && { run: refuseUnknownArguments }),
  }
}

/** Parts of a command may be read when they are needed. */
async function valueOf<Value>(given: Value | (() => Value | Promise<Value>)): Promise<Value> {
  return typeof given === 'function' ? await (given as () => Value | Promise<Value>)() : given
}

async function check([program, ...words]: readonly string[]): Promise<void> {
  if (program === 'npx') expect(words.shift()).toBe('tessera-onnx')
  if (program === 'npx' || program === 'tessera') {
    await runCommand(await withoutWork(mainCommand as CommandDef), { rawArgs: words })
  } else if (program === 'node') {
    const isProgram = !words[0]!.startsWith('-')
    for (const file of isProgram ? words : []) expect((await stat(join(ROOT, file))).isFile()).toBe(true)
  } else if (program === 'npm') {
    expect(['install', 'ci']).toContain(words[0])
  } else {
    expect(program).toBe('curl')
    const { status } = await ask(words)
    expect([words[0], status]).toEqual([words[0], expect.toSatisfy((code: number) => code >= 200 && code < 300)])
  }
}

/** Lines that start something. */
const countCommands = (script: string) =>
  script
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => /^\s*[^#\s]/.test(line)).length

describe.skipIf(process.platform === 'win32')('what the documents say to type', () => {
  it.each(DOCUMENTS)('is what the command line takes, and works, in %s', async (path) => {
    const text = await readFile(join(ROOT, path), 'utf8')
    const cwd = await makeFolder()
    for (const [, script] of text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)) {
      const calls = await callsOf(script!, cwd, true)
      expect([script, calls.length]).toEqual([script, countCommands(script!)])
      for (const call of calls) await check(call)
    }
  })

  it('is what the command line takes in its help', async () => {
    const calls = await callsOf(
      Object.values(EXAMPLES)
        .flatMap((lines) => lines.map((line) => `npx tessera-onnx ${line}`))
        .join('\n'),
      await makeFolder(),
    )
    expect(calls.length).toBeGreaterThan(25)
    for (const call of calls) await check(call)
  })

  it.each([
    ['tessera decide --question x', '--question'],
    ['tessera dicide', 'Unknown command'],
    ['tessera keys topup shop', 'Missing required'],
  ])('would be found where it is wrong, as %s is', async (line, message) => {
    const [call] = await callsOf(line, folder)
    await expect(check(call!)).rejects.toThrow(message)
  })

  it('works, or the documents would be at fault', async () => {
    await expect(
      callsOf('npx tessera-onnx decide ticket.json -q no-such-file.json', await makeFolder(), true),
    ).rejects.toThrow('questions')
    await expect(callsOf('tessera-onnx doctor', folder)).rejects.toThrow('not found')
  })
})
