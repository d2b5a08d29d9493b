import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { readRequest } from './read-request.ts'

const QUESTIONS = '{"q":{"type":"noul","instructions":"Is it?"}}'
const UTF16 = `tessera-utf16-${process.pid}.txt`
const folder = temporaryFolder()
beforeAll(async () => {
  await writeFile(join(folder, 'ticket.txt'), '{"not":"parsed"}')
  await writeFile(join(folder, 'ticket.json'), '{"text":"late"}')
  await writeFile(join(folder, 'broken.json'), '{"secret words"')
  await writeFile(join(folder, 'questions.json'), QUESTIONS)
  await writeFile(join(folder, 'marked.json'), '\ufeff{"text":"late"}')
  await writeFile(join(tmpdir(), UTF16), Buffer.from('\ufefflate', 'utf16le'))
})
afterAll(() => rm(join(tmpdir(), UTF16)))

describe('the state', () => {
  it('is the text of --state as it stands', async () => {
    expect(await readRequest({ state: '{"a":1}', questions: QUESTIONS })).toEqual({
      state: '{"a":1}',
      questions: JSON.parse(QUESTIONS),
    })
  })

  it('is the text of a file, and the value of one that ends in .json', async () => {
    const read = async (name: string) => (await readRequest({ file: join(folder, name), questions: QUESTIONS })).state
    expect(await read('ticket.txt')).toBe('{"not":"parsed"}')
    expect(await read('ticket.json')).toEqual({ text: 'late' })
    expect(await read('marked.json')).toEqual({ text: 'late' })
  })

  it.each([
    ['questions', 'leave --questions out, or give the state alone'],
    ['labels', 'give the state alone'],
  ])('is no file in which it stands beside %s', async (name, remedy) => {
    const file = join(folder, 'whole.json')
    await writeFile(file, JSON.stringify({ state: 'late', [name]: { q: {} } }))
    await expect(readRequest({ file, questions: QUESTIONS })).rejects.toThrow(
      `state: the file ${file} has "state" beside "${name}", where with --questions it is the state itself; ${remedy}`,
    )
    for (const state of [
      { state: 'late', [name]: 'none' },
      { state: 'firing', labels: { alertname: 'Late' } },
      { state: 'Not ready yet', labels: { app: 'shop' }, kind: 'Pod' },
      { state: '已完成', labels: { app: 'shop' } },
      { state: 'Not ready yet', labels: {} },
      { state: 'Not ready yet', labels: { app: { name: 'shop' } } },
      { state: 3, labels: { app: 'shop' } },
      { state: null, labels: { app: 'shop' } },
    ]) {
      await writeFile(file, JSON.stringify(state))
      expect((await readRequest({ file, questions: QUESTIONS })).state).toEqual(state)
    }
  })

  it.each(['My parcel is late', '我的包裹还没有到', '荷物はまだ届きません', { subject: 'late' }])(
    'is no labelled row of other questions, %j',
    async (state) => {
      const file = join(folder, 'row.json')
      await writeFile(file, JSON.stringify({ state, labels: { other: 'tech' } }))
      await expect(readRequest({ file, questions: QUESTIONS })).rejects.toThrow('has "state" beside "labels"')
    },
  )

  it('is refused in UTF-16 that no mark tells from UTF-8', async () => {
    const file = join(folder, 'wide.txt')
    await writeFile(file, Buffer.from('late', 'utf16le'))
    await expect(readRequest({ file, questions: QUESTIONS })).rejects.toThrow(
      `state: the file ${file} must be text in UTF-8, got zero bytes, as text in UTF-16 has them`,
    )
  })

  it('is refused when it is given twice', async () => {
    const twice = readRequest({ state: 'x', file: join(folder, 'ticket.txt'), questions: QUESTIONS })
    await expect(twice).rejects.toMatchObject({ code: 'invalid_request', path: 'state' })
  })
})

describe('the state on stdin', () => {
  afterEach(() => vi.restoreAllMocks())

  it.each([
    ['is said to be waited for where somebody types', true, 1],
    ['is read in silence from a pipe', false, 0],
  ])('%s', async (_, isTTY, lines) => {
    const typed = Object.assign(Readable.from([Buffer.from('late')]), { isTTY }) as unknown as typeof process.stdin
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(typed)
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    expect(await readRequest({ questions: QUESTIONS })).toMatchObject({ state: 'late' })
    expect(written).toHaveBeenCalledTimes(lines)
    for (const [line] of written.mock.calls) expect(line).toContain('reading from the keyboard; end with')
  })

  it.each([
    ['nothing', '', 'nothing came on stdin'],
    ['another encoding', Buffer.from('\ufefflate', 'utf16le'), 'stdin must be text in UTF-8'],
  ])('is none where %s comes', async (_, input, reason) => {
    const piped = Readable.from([Buffer.from(input)]) as unknown as typeof process.stdin
    vi.spyOn(process, 'stdin', 'get').mockReturnValue(piped)
    await expect(readRequest({ questions: QUESTIONS })).rejects.toThrow(reason)
  })
})

describe('the questions', () => {
  it('are read from a file where they are no JSON object', async () => {
    const { questions } = await readRequest({ state: '', questions: join(folder, 'questions.json') })
    expect(questions).toEqual(JSON.parse(QUESTIONS))
  })

  it('keep a name like __proto__', async () => {
    const { questions } = await readRequest({ state: '', questions: ' {"__proto__":{"type":"noul"}}' })
    expect(Object.keys(questions as object)).toEqual(['__proto__'])
  })
})

describe('an argument that cannot be read', () => {
  it.each([
    ['questions', 'JSON', { state: '', questions: '{"q":' }],
    [
      'questions',
      'is not there; questions themselves are JSON, such as',
      { state: '', questions: 'no-such-file.json' },
    ],
    ['state', 'is not there; a text itself is given with --state', { file: 'no-such-file.txt', questions: QUESTIONS }],
    ['state', 'UTF-8', { file: join(tmpdir(), UTF16), questions: QUESTIONS }],
    ['state', 'EISDIR', { file: tmpdir(), questions: QUESTIONS }],
  ])('names the field %s and says %s', async (path, reason, args) => {
    await expect(readRequest(args)).rejects.toMatchObject({
      code: 'invalid_request',
      path,
      message: expect.stringMatching(`^${path}: .*${reason}`),
    })
  })

  it('is not quoted in the message', async () => {
    const error = await readRequest({ file: join(folder, 'broken.json'), questions: QUESTIONS }).catch(
      (thrown: Error) => thrown,
    )
    expect(error).toMatchObject({ path: 'state', message: expect.not.stringContaining('secret') })
  })
})
