import { monitorEventLoopDelay } from 'node:perf_hooks'
import { afterEach, describe, expect, it } from 'vitest'
import { BodyParser } from './body-parser.ts'

const MEGABYTE = 1e6
const JSON_KIND = { type: 'json' } as const

const parser = new BodyParser()
afterEach(() => parser.close())

const bytesOf = (text: string) => new TextEncoder().encode(text)
const parse = (text: string) => parser.parse(bytesOf(text), JSON_KIND)

describe('a large body', () => {
  it('is read as a small one is', async () => {
    const value = { state: { a: ['é🎯"\\', 1.5e300, null, true], b: 'x'.repeat(MEGABYTE) }, __proto__x: [[], {}] }
    expect(await parse(JSON.stringify(value))).toEqual({ value })
    const padded = JSON.stringify(value) + ' '.repeat(MEGABYTE)
    expect(await parse(`${padded}}`)).toEqual({ refused: 'must be valid JSON' })
    const broken = new Uint8Array(MEGABYTE).fill(0xff)
    expect(await parser.parse(broken, JSON_KIND)).toEqual({ refused: 'must be UTF-8 text' })
  })

  it('may be a form, whose files are bytes', async () => {
    const file = 'y'.repeat(MEGABYTE)
    const lines = (name: string, more: string, value: string) =>
      `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${value}\r\n`
    const text = `${lines('image', '; filename="a.png"', file)}${lines('prompt', '', 'blue')}--b--\r\n`
    expect(await parser.parse(bytesOf(text), { type: 'form', boundary: 'b' })).toEqual({
      value: [
        { name: 'image', isFile: true, value: bytesOf(file) },
        { name: 'prompt', isFile: false, value: 'blue' },
      ],
    })
    const ragged = bytesOf(text.slice(0, -4))
    expect(await parser.parse(ragged, { type: 'form', boundary: 'b' })).toEqual({
      refused: 'must be a valid multipart form',
    })
  })

  it.each([
    ['more values', `[${'[],'.repeat(300_000)}0]`, 'must have at most 500,000 values'],
    ['more members', `{${'"":0,'.repeat(60_000)}"":0}`, 'must have at most 50,000 members of objects'],
    ['more levels', '['.repeat(MEGABYTE), 'must be nested at most 1,500 levels deep'],
  ])('of %s than any request has is refused', async (_, text, refused) => {
    expect(await parse(text)).toEqual({ refused })
  })

  it('may have as many members as a state has room for', async () => {
    const value = { state: Array.from({ length: 28_571 }, () => ({ '': 0 })), more: 'x'.repeat(MEGABYTE) }
    expect(await parse(JSON.stringify(value))).toEqual({ value })
  })

  it('of lines may have 300,000 members in all', async () => {
    const line = (members: number) => `{${'"":0,'.repeat(members - 1)}"":0}\n`
    const parseLines = (text: string) => parser.parse(bytesOf(text), { type: 'lines' })
    expect(await parseLines(line(30).repeat(10_000))).toMatchObject({ value: { length: 10_000 } })
    expect(await parseLines(line(30).repeat(9999) + line(31))).toEqual({
      refused: 'must have at most 300,000 members of objects',
    })
  })

  it('may have in a string what is counted outside of one', async () => {
    const value = `\\"${'[,{'.repeat(300_000)}\\`
    expect(await parse(JSON.stringify([value]))).toEqual({ value: [value] })
  })

  it('leaves the thread that answers free, whatever it is made of', async () => {
    const texts = Array.from({ length: 8 }, () => bytesOf(`[${'[],'.repeat((8 * MEGABYTE) / 3)}0]`))
    await parse(' '.repeat(MEGABYTE))
    const delay = monitorEventLoopDelay({ resolution: 1 })
    delay.enable()
    await Promise.all(texts.map((text) => parser.parse(text, JSON_KIND)))
    delay.disable()
    // Where they are read on this thread it stands still for seconds.
    expect(delay.max / 1e6).toBeLessThan(500)
  })

  it('of lines is taken over in parts, between which all others are looked after', async () => {
    const line = `{"state":[${'{"":0},'.repeat(5000)}0]}\n`
    const text = line.repeat(40)
    const value = Array.from({ length: 40 }, (_, index): unknown => ({ at: index + 1, value: JSON.parse(line) }))
    const delays: number[] = []
    const wholes: number[] = []
    for (let attempt = 0; attempt < 4; attempt++) {
      const delay = monitorEventLoopDelay({ resolution: 1 })
      delay.enable()
      const parsed = await parser.parse(bytesOf(text), { type: 'lines' })
      delay.disable()
      expect(JSON.stringify(parsed)).toBe(JSON.stringify({ value }))
      delays.push(delay.max / 1e6)
      const start = performance.now()
      structuredClone(value)
      wholes.push(performance.now() - start)
    }
    expect(Math.min(...delays)).toBeLessThan(Math.min(...wholes) / 2)
  })

  it('of lines has its parts taken over before bodies that come later are read', async () => {
    const over: string[] = []
    const note = (name: string) => () => void over.push(name)
    const text = `{"state":[${'0,'.repeat(60_000)}0]}\n`.repeat(20)
    const lines = parser.parse(bytesOf(text), { type: 'lines' }).then(note('lines'))
    const others = Array.from({ length: 6 }, () => parse(JSON.stringify('x'.repeat(MEGABYTE))).then(note('other')))
    await Promise.all([lines, ...others])
    expect(over[0]).toBe('lines')
  })

  it('that comes while a thread without work is ended is read by the next one', async () => {
    await parse(JSON.stringify('x'.repeat(MEGABYTE)))
    const ended = parser.close()
    expect(await parse(JSON.stringify('y'.repeat(MEGABYTE)))).toEqual({ value: 'y'.repeat(MEGABYTE) })
    await ended
  })

  it('is answered with an error where its thread ends, and the next one has another', async () => {
    const lost = parse(JSON.stringify('x'.repeat(20 * MEGABYTE)))
    await parser.close()
    await expect(lost).rejects.toMatchObject({ code: 'internal_error' })
    expect(await parse(JSON.stringify('x'.repeat(MEGABYTE)))).toEqual({ value: 'x'.repeat(MEGABYTE) })
  })
})
