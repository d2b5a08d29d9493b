import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { bundleWorker } from '../engine/test-support/bundle-worker.ts'
import { formatExamples } from './examples.ts'

const QUESTIONS = '{"q":{"type":"noul","instructions":"Is it late?"}}'
let cli: string
beforeAll(async () => {
  cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'cli-main'))
})

/** What a run with that on stdin prints. */
async function run(
  args: readonly string[],
  input: string | Buffer = '',
): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    // A runner of CI that sets CI=true would get colours.
    const env = { ...process.env, NO_COLOR: '1' }
    const child = execFile(process.execPath, [cli, ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    )
    child.stdin!.end(input)
  })
}

describe('tessera', () => {
  it('decides on what comes on stdin', async () => {
    const { code, stdout } = await run(
      ['decide', '--questions', QUESTIONS, '--json', '--backend', 'cpu'],
      'The parcel is late.',
    )
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ answers: { q: { type: 'noul' } } })
  })

  it.skipIf(process.platform === 'win32')('ends after Ctrl-C while it waits for rows of a pipe', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tessera-pipe-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const pipe = join(folder, 'rows.jsonl')
    spawnSync('mkfifo', [pipe])
    const child = spawn(process.execPath, [cli, 'decide', '--each', pipe, '-q', QUESTIONS, '--backend', 'cpu'])
    const writer = await open(pipe, 'r+')
    onTestFinished(() => writer.close())
    await writer.write('"It is midnight."\n')
    await once(child.stdout, 'data')
    child.kill('SIGINT')
    const [code, signal] = await once(child, 'exit')
    expect(code ?? signal).toBe('SIGINT')
  })

  it.each([
    ['nothing', '', 'nothing came on stdin'],
    ['another encoding', Buffer.from('\ufefflate', 'utf16le'), 'stdin must be text in UTF-8'],
  ])('decides on no state where %s comes on stdin', async (_, input, reason) => {
    const { code, stdout, stderr } = await run(['decide', '--questions', QUESTIONS], input)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(reason)
  })

  it('ends in silence when its reader has gone', async () => {
    const child = spawn(process.execPath, [cli, 'models'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const errors = text(child.stderr)
    expect(await once(child, 'close')).toEqual([0, null])
    expect(await errors).toBe('')
  })

  it.each([[[]], [['help']], [['--help']]])('prints what it can do for %j', async (args) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('decide|generate|edit')
    expect(stdout).toContain('npx tessera-onnx decide -s')
  })

  it('names a command within another in full, with its own examples', async () => {
    const { stdout } = await run(['keys', 'add', '--help'])
    expect(stdout).toContain('USAGE tessera-onnx keys add ')
    expect(stdout).toMatch(/EXAMPLES\n\n {2}npx tessera-onnx keys add --account shop .*\n\n$/)
    expect(formatExamples('keys none')).toBe('')
  })

  it.each([
    [['genrate', 'x'], 'Unknown command genrate; generate may be meant'],
    [['xyz'], 'Unknown command xyz; see npx tessera-onnx --help'],
    [['keys', '--store', 'x', 'list'], '--store: stands before the name of a command'],
    [['decide', '--question', 'x'], '--question: is no option of this command; --questions may be meant'],
    [['generate', 'a', 'red', 'apple'], 'prompt: must be one text, got several words; put them in quotes'],
    [['decide', '-s', 'x'], '--questions: is required beside --state'],
  ])('says of %j what may be meant', async (args, message) => {
    const { code, stdout, stderr } = await run(args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('runs from the sources of the repository, wherever they are bundled', () => {
    const args = ['scripts/run-ts.mjs', 'src/cli/main.ts', 'setup', '--help']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('npx tessera-onnx setup cuda')
  })

  it('takes a whole request', async () => {
    const request = `{"state":"The parcel is late.","questions":${QUESTIONS},"min_confidance":1}`
    const { code, stdout, stderr } = await run(['decide', '--json', '--backend', 'cpu'], request)
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ answers: { q: { type: 'noul' } } })
    expect(stderr).toContain('warning min_confidance: is ignored')
  })

  it('says in JSON why there is no answer, to who asked for JSON', async () => {
    for (const args of [
      ['decide', '--json', '-s', 'x', '-q', '{}'],
      ['models', '--nothing', '--json'],
      ['pul', '--json'],
    ]) {
      const { code, stdout, stderr } = await run(args)
      expect(code).toBe(2)
      const { error } = JSON.parse(stdout) as { error: { code: string; message: string } }
      expect(error).toMatchObject({ code: 'invalid_request', path: expect.any(String), retryable: false })
      expect(stderr).toContain(error.message)
    }
  })

  it.each([
    ['invalid_request', 2, ['-q', '{"q":{"type":"nul","instructions":"x"}}']],
    ['invalid_request', 2, ['-q', QUESTIONS, '--min-confidence', '7']],
    ['model_not_found', 1, ['-q', QUESTIONS, '--use', './none']],
  ])('answers no row of many where none can be: %s', async (code, status, args) => {
    const folder = await mkdtemp(join(tmpdir(), 'tessera-main-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    const [each, out] = [join(folder, 'rows.jsonl'), join(folder, 'answers.jsonl')]
    await writeFile(each, '"late"\n"lost"\n')
    const ended = await run(['decide', '--each', each, '-o', out, '--json', ...args])
    expect(ended.code).toBe(status)
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code } })
    expect(await readdir(folder)).toEqual(['rows.jsonl'])
  })

  it('says once what is ignored in the questions of many rows', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tessera-main-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, 'rows.jsonl'), '"late"\n"lost"\n')
    const asked = QUESTIONS.replace('"instructions"', '"critera":{},"instructions"')
    const { code, stderr } = await run(['decide', '--each', join(folder, 'rows.jsonl'), '-q', asked])
    expect(code).toBe(0)
    expect(stderr).toBe(
      'warning questions.q.critera: is ignored, no field of that name is known; criteria may be meant\n2 rows\n',
    )
  })

  it.each(['generate', 'edit'])('says which models can draw for %s', async (command) => {
    const { stdout } = await run([command, '--help'])
    expect(stdout).toMatch(/--use=<folder\|id> +model that draws: the folder of a pipeline, or a downloaded hub id/m)
  })

  it('prints its usage without colours where it is no terminal', async () => {
    const { code, stdout } = await run(['decide', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('--questions')
    expect(stdout).not.toContain('\u001b')
  })
})
