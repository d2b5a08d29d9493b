import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { open, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../../test/helpers/temporary-folder.ts'
import { bundleWorker } from '../engine/test-support/bundle-worker.ts'
import { EXAMPLES, formatExamples } from './examples.ts'
import { runTessera } from './test-support/run-tessera.ts'

const QUESTIONS = '{"q":{"type":"noul","instructions":"Is it late?"}}'
let cli: string
beforeAll(async () => {
  cli = fileURLToPath(await bundleWorker('src/cli/main.ts', 'cli-main'))
})

describe('tessera', () => {
  it('decides on what comes on stdin', () => {
    const args = ['decide', '--questions', QUESTIONS, '--json', '--backend', 'cpu']
    const { status, stdout } = spawnSync(process.execPath, [cli, ...args], { encoding: 'utf8', input: 'It is late.' })
    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ answers: { q: { type: 'noul' } } })
  })

  it.skipIf(process.platform === 'win32')('ends after Ctrl-C while it waits for rows of a pipe', async () => {
    const folder = temporaryFolder()
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

  it('ends in silence when its reader has gone', async () => {
    const child = spawn(process.execPath, [cli, 'models'], { stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.destroy()
    const errors = text(child.stderr)
    expect(await once(child, 'close')).toEqual([0, null])
    expect(await errors).toBe('')
  })

  it.each([[[]], [['help']], [['--help']]])('prints what it can do for %j', async (args) => {
    const { code, stdout, stderr } = await runTessera(...args)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('decide|generate|edit')
    expect(stdout).toContain('npx tessera-onnx decide -s')
  })

  it('has examples in the help of every command, each of options that it has', async () => {
    const { stdout: all } = await runTessera('help')
    const commands = /\b(decide\|[\w|]+)/.exec(all)![1]!.split('|')
    expect(Object.keys(EXAMPLES)).toEqual(['tessera-onnx', ...commands])
    for (const command of commands) {
      const { stdout } = await runTessera('help', command)
      const [usage, examples] = stdout.split('EXAMPLES')
      expect(examples).toContain(`npx tessera-onnx ${command}`)
      for (const line of examples!.split('\n')) {
        // Options of a command within a command stand in its own help.
        const inner = / (?:keys|models) ([a-z]+)/.exec(line)?.[1]
        const text = inner === undefined ? usage! : (await runTessera(command, inner, '--help')).stdout
        for (const [option] of line.matchAll(/(?<= )--?[a-z][\w-]*/g)) expect(text).toContain(option)
      }
    }
  })

  it('names a command within another in full, with its own examples', async () => {
    const { stdout } = await runTessera('keys', 'add', '--help')
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
    [['decide', '-s', 'x'], '--questions: is required beside --state: JSON, such as {"angry":'],
  ])('says of %j what may be meant', async (args, message) => {
    const { code, stdout, stderr } = await runTessera(...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('runs from the sources of the repository, and without colours where it is no terminal', () => {
    const args = ['scripts/run-ts.mjs', 'src/cli/main.ts', 'setup', '--help']
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toContain('npx tessera-onnx setup cuda')
    expect(stdout).not.toContain('\u001b')
  })

  it('takes a whole request', async () => {
    const request = `{"state":"The parcel is late.","questions":${QUESTIONS},"min_confidance":1}`
    const stdin = Readable.from([Buffer.from(request)]) as unknown as typeof process.stdin
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(stdin)
    onTestFinished(() => void vi.restoreAllMocks())
    const { code, stdout, stderr } = await runTessera('decide', '--json', '--backend', 'cpu')
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
      const { code, stdout, stderr } = await runTessera(...args)
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
    const folder = temporaryFolder()
    const [each, out] = [join(folder, 'rows.jsonl'), join(folder, 'answers.jsonl')]
    await writeFile(each, '"late"\n"lost"\n')
    const ended = await runTessera('decide', '--each', each, '-o', out, '--json', ...args)
    expect(ended.code).toBe(status)
    expect(JSON.parse(ended.stdout)).toMatchObject({ error: { code } })
    expect(await readdir(folder)).toEqual(['rows.jsonl'])
  })

  it('says once what is ignored in the questions of many rows', async () => {
    const folder = temporaryFolder()
    await writeFile(join(folder, 'rows.jsonl'), '"late"\n"lost"\n')
    const asked = QUESTIONS.replace('"instructions"', '"critera":{},"instructions"')
    const { code, stderr } = await runTessera('decide', '--each', join(folder, 'rows.jsonl'), '-q', asked)
    expect(code).toBe(0)
    expect(stderr).toBe(
      'warning questions.q.critera: is ignored, no field of that name is known; criteria may be meant\n2 rows\n',
    )
  })

  it.each(['generate', 'edit'])('says which models can draw for %s', async (command) => {
    const { stdout } = await runTessera(command, '--help')
    expect(stdout).toMatch(/--use=<folder\|id> +model that draws: the folder of a pipeline, or a downloaded hub id/m)
  })
})
