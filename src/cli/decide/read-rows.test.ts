import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { InvalidRequestError } from '../../errors/index.ts'
import { readRows } from './read-rows.ts'

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

async function rowsOf(name: string, content: string | Uint8Array): Promise<unknown[]> {
  const file = join(folder, name)
  await writeFile(file, content)
  const rows: unknown[] = []
  for await (const { value } of readRows(file)) rows.push(value)
  return rows
}

describe('rows', () => {
  it('are the lines of a JSONL file, whatever ends them', async () => {
    expect(await rowsOf('a.jsonl', '\ufeff{"a":1}\r\n"te\u2028xt"\n\n[1]')).toEqual([{ a: 1 }, 'te\u2028xt', [1]])
  })

  it('are the rows of a CSV file, by its columns, with quotes, commas and lines within', async () => {
    expect(await rowsOf('a.csv', '\ufeffname,text\r\nAnn,"late, ""very""\nlate"\r\nÉva,\r\n')).toEqual([
      { name: 'Ann', text: 'late, "very"\nlate' },
      { name: 'Éva', text: '' },
    ])
  })

  it('of a CSV file keep quotes within a cell and columns of any name, and are no blank lines', async () => {
    const text = 'id,constructor,__proto__\n1,a 5" pipe burst,x\n\n2,"","y"\r\n\r\n3,z,'
    const rows = await rowsOf('a.csv', text)
    expect(rows.map((row) => Object.entries(row as object).map(([, cell]) => cell))).toEqual([
      ['1', 'a 5" pipe burst', 'x'],
      ['2', '', 'y'],
      ['3', 'z', ''],
    ])
    expect(Object.keys(rows[0] as object)).toEqual(['id', 'constructor', '__proto__'])
  })

  it.each<[string, string, string | Uint8Array]>([
    ['line 2 must be JSON', 'a.jsonl', '{}\n{"secret'],
    ['line 5 must have as many columns as the first row, 2, got 1', 'a.csv', 'a,b\r\n1,"x\r\ny"\r\n\r\nsecret\r\n'],
    ['line 3 must end the cell', 'a.csv', 'a,b\n1,2\n3,"secret\n4,5\n'],
    ['line 2 must have a comma', 'a.csv', 'a,b\n"1" secret,2\n'],
    ['line 1 must name each column once, got the name of column 3', 'a.csv', 'secret,b,secret\n1,2,3\n'],
    ['line 2 must separate columns by commas, got semicolons', 'a.csv', '\nsecret;b\n1;2\n'],
    ['line 1 must separate columns by commas, got tabs', 'a.csv', 'secret\tb\n1\t2\n'],
    ['must be text in UTF-8', 'a.jsonl', Buffer.from('\ufefflate', 'utf16le')],
    ['must be text in UTF-8, got zero bytes', 'a.csv', Buffer.from('text\nlate\n', 'utf16le')],
    ['must be text in UTF-8', 'a.csv', Buffer.from([0x61, 0x0a, 0xff])],
    ['must be a .jsonl or .csv file', 'a.txt', 'x'],
  ])('are refused where %s', async (reason, name, content) => {
    const error = await rowsOf(name, content).catch((thrown: unknown) => thrown)
    expect(InvalidRequestError.isInstance(error)).toBe(true)
    expect((error as Error).message).toContain(reason)
    expect((error as Error).message).not.toContain('secret')
  })
})
