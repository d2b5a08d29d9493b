import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { defineCommand, runCommand as runCitty } from 'citty'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import type { Engine } from '../../engine/index.ts'
import { startFakeEngine } from '../../engine/test-support/engines.ts'
import { InvalidRequestError, ModelFormatError } from '../../errors/index.ts'
import { runCommand } from '../run-command.ts'
import { decideRows, type RowsJob } from './decide-rows.ts'

const questions = { q: { type: 'noul', instructions: 'x' } }
let folder: string
beforeEach(() => void (folder = temporaryFolder()))

async function write(name: string, content: string | Uint8Array): Promise<string> {
  await writeFile(join(folder, name), content)
  return join(folder, name)
}

async function decide(job: Partial<RowsJob> & Pick<RowsJob, 'each'>) {
  await using engine = await startFakeEngine({ worker: false })
  const defaults = { force: false, common: { questions }, signal: new AbortController().signal }
  return await decideRows(engine, { out: join(folder, 'answers.jsonl'), ...defaults, ...job })
}

async function answers(): Promise<{ row: number; model?: string; error?: { path: string } }[]> {
  const text = await readFile(join(folder, 'answers.jsonl'), 'utf8')
  expect(text.endsWith('\n')).toBe(true)
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describe('answers to rows', () => {
  it('are refused where there is no file', async () => {
    await expect(decide({ each: join(folder, 'none.jsonl') })).rejects.toThrow(
      /^--each: the file .*none\.jsonl is not there$/,
    )
  })

  it('are lines in the order of the rows, those that failed among them', async () => {
    const each = await write('rows.jsonl', '{"name":"a","steps":1}\n5\n{}\n')
    expect(await decide({ each })).toEqual({ rows: 3, failed: 1 })
    expect(await answers()).toMatchObject([{ row: 0, model: 'a1' }, { row: 1, error: { path: 'state' } }, { row: 2 }])
  })

  it('are to whole requests where there are no questions for all', async () => {
    const each = await write('rows.jsonl', JSON.stringify({ state: { name: 'a', steps: 1 }, questions }))
    await decide({ each, common: {} })
    expect(await answers()).toMatchObject([{ row: 0, model: 'a1' }])
  })

  it.each(['"secret"', '{"name":"secret"}'])(
    'are none where no line has questions and none are given: %s',
    async (row) => {
      const error: unknown = await decide({ each: await write('rows.jsonl', row), common: {} }).catch((e: unknown) => e)
      expect((error as Error).message).toMatch(/line 1 must be a request .* bare states with --questions$/)
    },
  )

  it('go on where an earlier run stopped, even in the middle of a line', async () => {
    const states = [{}, { fail: 'throw' }, {}, {}]
    const each = await write('rows.jsonl', states.map((state) => JSON.stringify({ state, questions })).join('\n'))
    const common = {}
    await decide({ each, common })
    const text = await readFile(join(folder, 'answers.jsonl'), 'utf8')
    const cut = text.indexOf('"row":2') + 20
    await write('answers.jsonl', text.slice(0, cut))
    expect(await decide({ each, common })).toEqual({ rows: 4, failed: 1 })
    expect((await answers()).map(({ row }) => row)).toEqual([0, 1, 2, 3])
    expect(await decide({ each, common })).toEqual({ rows: 4, failed: 1 })
    // A program of Windows saved it, and the last line is not whole.
    await write('answers.jsonl', text.slice(0, cut).replaceAll('\n', '\r\n'))
    expect(await decide({ each, common })).toEqual({ rows: 4, failed: 1 })
    expect((await answers()).map(({ row }) => row)).toEqual([0, 1, 2, 3])
    expect(await decide({ each, common, force: true })).toEqual({ rows: 4, failed: 1 })
  })

  it.each(['{', '{"row":', '{"row":0,"answers"', ''])('begin anew in a file with no more than %j', async (begun) => {
    await write('answers.jsonl', begun)
    expect(await decide({ each: await write('rows.jsonl', '{}\n') })).toEqual({ rows: 1, failed: 0 })
    expect(await answers()).toMatchObject([{ row: 0 }])
  })

  it('are kept where only the last line break was lost', async () => {
    const each = await write('rows.jsonl', '{}\n{}\n')
    await decide({ each })
    const text = await readFile(join(folder, 'answers.jsonl'), 'utf8')
    await write('answers.jsonl', text.trimEnd())
    expect(await decide({ each })).toEqual({ rows: 2, failed: 0 })
    expect(await readFile(join(folder, 'answers.jsonl'), 'utf8')).toBe(text)
  })

  it('stop with the signal, and say how to go on', async () => {
    const each = await write('rows.jsonl', '{"name":"a","steps":1}\n{"hold":true}\n')
    const signal = AbortSignal.timeout(300)
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const command = defineCommand({
      run: (context) => runCommand(context, async () => void (await decide({ each, signal }))),
    })
    await runCitty(command, { rawArgs: [] })
    const said = printed.mock.calls.join('')
    printed.mockRestore()
    expect([process.exitCode, said]).toEqual([
      1,
      expect.stringMatching(/stopped after row \d; the same command goes on from there\n$/),
    ])
    process.exitCode = undefined
  })

  it.each([
    ['there is no file of the rows', undefined],
    ['the rows are refused', 'a;b\n1;2\n'],
  ])('replace none where %s', async (_, rows) => {
    const before = await write('answers.jsonl', '{"row":0}\n')
    const each = rows === undefined ? join(folder, 'none.csv') : await write('rows.csv', rows)
    await expect(decide({ each, force: true })).rejects.toMatchObject({ path: '--each' })
    expect(await readFile(before, 'utf8')).toBe('{"row":0}\n')
    const out = join(folder, 'new.jsonl')
    await expect(decide({ each, out })).rejects.toMatchObject({ path: '--each' })
    await expect(readFile(out)).rejects.toThrow('ENOENT')
  })

  it.each([
    [true, ''],
    [false, '1 rows, '],
  ])('have a terminal for themselves where they are written to it: %s', async (isTerminal, progress) => {
    const each = await write('rows.jsonl', '{"name":"a","steps":1}\n')
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const written = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
    const before = [process.stdout.isTTY, process.stderr.isTTY]
    ;[process.stdout.isTTY, process.stderr.isTTY] = [isTerminal, true]
    await decide({ each, out: undefined })
    ;[process.stdout.isTTY, process.stderr.isTTY] = before as [boolean, boolean]
    const [answer, shown] = [written.mock.calls.join(''), said.mock.calls.join('')]
    said.mockRestore()
    written.mockRestore()
    expect(answer).toMatch(/^{"row":0,/)
    expect(shown).toContain(progress)
    expect(shown === '').toBe(isTerminal)
  })

  it('of two commands at once come one after the other', async () => {
    const printed = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const each = await write('rows.jsonl', '{"name":"a","steps":1}\n'.repeat(20))
    const all = { rows: 20, failed: 0 }
    expect(await Promise.all([decide({ each }), decide({ each })])).toEqual([all, all])
    expect(printed.mock.calls.join('')).toContain('waiting for another command that writes ')
    printed.mockRestore()
    expect((await answers()).map(({ row }) => row)).toEqual(Array.from({ length: 20 }, (_, row) => row))
    expect(await readdir(folder)).toEqual(['answers.jsonl', 'rows.jsonl'])
  })

  it('wait for another command no longer than the signal', async () => {
    const each = await write('rows.jsonl', '{"hold":true}\n')
    const first = new AbortController()
    const held = decide({ each, signal: first.signal }).catch((error: unknown) => error)
    await vi.waitFor(async () => expect(await readdir(folder)).toContain('answers.jsonl.lock'))
    await expect(decide({ each, signal: AbortSignal.timeout(50) })).rejects.toMatchObject({ code: 'aborted' })
    first.abort()
    expect(await held).toMatchObject({ code: 'aborted' })
  })

  const unread = new ModelFormatError('/m/config.json', 'a model', 'none')
  const long = new InvalidRequestError('questions.q', 'its text is too long')
  it.each([
    [{ questions }, unread, 'thrown'],
    [{}, unread, 'written'],
    [{ questions }, long, 'thrown'],
    [{}, long, 'written'],
  ])('are none where something is wrong for all rows: with %j common, %s is %s', async (common, error, what) => {
    const engine = {
      models: async () => [],
      async *decideMany(requests: AsyncIterable<unknown>) {
        for await (const _ of requests) yield { error }
      },
    } as unknown as Engine
    const row = 'questions' in common ? { state: 'x' } : { state: 'x', questions }
    const each = await write('rows.jsonl', `${JSON.stringify(row)}\n`.repeat(3))
    const job = { each, out: join(folder, 'answers.jsonl'), force: false, common, signal: new AbortController().signal }
    const report: unknown = await decideRows(engine, job).catch((thrown: unknown) => thrown)
    expect(report).toEqual(what === 'thrown' ? error : { rows: 3, failed: 3 })
    expect(await readdir(folder)).toEqual([...(what === 'thrown' ? [] : ['answers.jsonl']), 'rows.jsonl'])
  })

  it('are an empty file where there are no rows', async () => {
    const each = await write('rows.csv', 'a,b\n')
    await write('answers.jsonl', '{"row":0}\n')
    expect(await decide({ each, force: true })).toEqual({ rows: 0, failed: 0 })
    expect(await readFile(join(folder, 'answers.jsonl'), 'utf8')).toBe('')
  })

  it('are refused where they cannot be written', async () => {
    const each = await write('rows.jsonl', '{}\n')
    await expect(decide({ each, out: join(folder, 'none', 'x.jsonl') })).rejects.toThrow(
      /^--out: .* there is no folder .*none$/,
    )
  })

  it.each([
    ['something else', 'notes\n'],
    ['rows in another order', '{"row":1}\n'],
    ['answers that do not say to what', '{"row":0,"answers":{"q":{}}}\n'],
    ['a document that no line break ends', '{"important":1}'],
    ['a text that no line break ends', 'notes'],
    ['a row of another kind that no line break ends', '{"row":0,"text":"x"}'],
    ['a line that is cut off in another row', '{"row":1,"answers":{'],
  ])('are not added to a file with %s', async (_, content) => {
    const out = await write('answers.jsonl', content)
    const each = await write('rows.jsonl', '{}\n')
    await expect(decide({ each, out })).rejects.toMatchObject({ path: '--out' })
    expect(await readFile(out, 'utf8')).toBe(content)
  })

  it.each<[string, Partial<RowsJob>, string | undefined, RegExp]>([
    ['questions', { common: { questions: { q: { type: 'noul', instructions: 'y' } } } }, undefined, /other questions/],
    ['thresholds', { common: { questions, min_confidence: 0.9 } }, undefined, /other questions, with other options/],
    ['settings', { settings: ['other'] }, undefined, /of another model/],
    ['rows', {}, '{"a":1}\n{"a":3}\n{"a":4}\n', /in line 2 the answers to another row/],
    ['fewer rows', {}, '{"a":1}\n', /to more rows than there are now, 1;/],
  ])('are not added to those of other %s', async (_, job, rows, reason) => {
    const before = '{"a":1}\n{"a":2}\n'
    const each = await write('rows.jsonl', before)
    await decide({ each })
    const answered = await readFile(join(folder, 'answers.jsonl'), 'utf8')
    await write('rows.jsonl', rows ?? `${before}{"a":3}\n`)
    await expect(decide({ each, ...job })).rejects.toThrow(reason)
    expect(await readFile(join(folder, 'answers.jsonl'), 'utf8')).toBe(answered)
  })

  it.each(['questions', 'labels'])('are not to lines with state and %s where all have questions', async (name) => {
    const others = '{"state":"open","labels":["a"]}\n{"state":"firing","labels":{"alertname":"Late"}}\n'
    const each = await write('rows.jsonl', `${others}\n{"state":"x","${name}":{"q":{}}}\n`)
    await expect(decide({ each })).rejects.toThrow(`rows.jsonl: line 4 has "state" beside "${name}"`)
  })

  it('are not to labelled rows of other questions, whose labels would be read', async () => {
    const each = await write('rows.jsonl', '{"state":"Where is my parcel?","labels":{"team":"shipping"}}\n')
    await expect(decide({ each })).rejects.toThrow('rows.jsonl: line 1 has "state" beside "labels"')
  })
})
