import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ImageBundle, materializeBundle } from '../../../test/helpers/image-bundle.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { runTessera } from '../test-support/run-tessera.ts'

const HOME = process.cwd()
let model: ImageBundle
let folder: string
beforeAll(async () => {
  model = await materializeBundle('klein-distilled')
})
afterAll(() => model.remove())
beforeEach(() => {
  folder = temporaryFolder()
  process.chdir(folder)
})
afterEach(async () => {
  process.chdir(HOME)
})

function tessera(command: 'generate' | 'edit', ...args: string[]) {
  return runTessera(command, ...args, '--use', model.folder, '--backend', 'cpu', '--threads', '1', '--steps', '1')
}

async function size(name: string): Promise<string> {
  const { width, height, format } = await sharp(join(folder, name)).metadata()
  return `${format} ${width}x${height}`
}

/** What stderr has none of; work of five seconds writes its progress there. */
const FAULT = /error|warning/

describe('tessera generate and edit', () => {
  it('write a picture, and the same again for the same seed, and change it', async () => {
    const first = await tessera('generate', 'an apple', '--size', '80x64', '--seed', '5', '-o', 'a.png')
    expect(first.code).toBe(0)
    expect(first.stderr).not.toMatch(FAULT)
    expect(first.stdout).toMatch(/^wrote a\.png {2}seed 5\n\d+\.\d s\n$/)
    const again = await tessera('generate', 'an apple', '--size', '80x64', '--seed', '5', '-o', 'b.png', '--json')
    expect(JSON.parse(again.stdout)).toEqual({ files: [{ path: 'b.png', seed: 5 }], latency_ms: expect.any(Number) })
    expect(await readFile(join(folder, 'b.png'))).toEqual(await readFile(join(folder, 'a.png')))
    const edited = await tessera('edit', 'a.png', 'make it green', '--seed', '1', '-o', 'c.png')
    expect(edited.code).toBe(0)
    expect(edited.stderr).not.toMatch(FAULT)
    expect([await size('a.png'), await size('c.png')]).toEqual(['png 80x64', 'png 80x64'])
  })

  it('write previews where a folder for them is given', async () => {
    const args = ['an apple', '--size', '64x64', '--n', '2', '--seed', '5', '--previews', 'looks', '-o', 'out.png']
    const { code, stderr } = await tessera('generate', ...args)
    expect(code).toBe(0)
    expect(stderr).not.toMatch(FAULT)
    expect(await readdir(join(folder, 'looks'))).toEqual(['0-1.png', '1-1.png'])
    expect(await size('looks/0-1.png')).toBe('png 8x8')
    await writeFile(join(folder, 'file'), '')
    const refused = await tessera('generate', 'an apple', '--previews', 'file', '-o', 'b.png')
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('--previews: nothing could be written')])
  })

  it('number several pictures, and name them by their seed where no name is given', async () => {
    await tessera('generate', 'an apple', '--size', '64x64', '--n', '2', '--seed', '5', '-o', 'out.png')
    const { stdout } = await tessera('generate', 'an apple', '--size', '64x64', '--json')
    const { files } = JSON.parse(stdout) as { files: { path: string; seed: number }[] }
    expect(files).toEqual([{ path: `picture-${files[0]!.seed}.png`, seed: expect.any(Number) }])
    expect((await readdir(folder)).toSorted()).toEqual(['out-0.png', 'out-1.png', files[0]!.path])
  })

  it('replace a file only when told to', async () => {
    await writeFile(join(folder, 'out-1.png'), 'mine')
    const args = ['an apple', '--size', '64x64', '--n', '2', '-o', 'out.png'] as const
    const refused = { code: 2, stdout: '', stderr: expect.stringContaining('--force') }
    expect(await tessera('generate', ...args)).toMatchObject(refused)
    expect(await readdir(folder)).toEqual(['out-1.png'])
    expect(await tessera('generate', ...args, '--force')).toMatchObject({ code: 0 })
    expect(await size('out-1.png')).toBe('png 64x64')
  })

  it.each([
    [['generate', 'x', '--size', '5x5'], '--size: must be'],
    [['generate', 'x', '--negative', 'y'], '--negative: acts through guidance'],
    [['generate', 'x', '--n', '5'], '--n: must be a whole number from 1 to 4, got 5'],
    [['generate', 'x', '--seed', 'x'], "--seed: must be a number, got 'x'"],
    [['generate', 'x', '--guidance', 'much'], '--guidance: must be a number'],
    [['generate', 'x', '--force', '-o', 'folder.png'], '--out: folder.png is a folder'],
    [['generate', 'x', '-o', 'x.jpg'], '--out: expected a name that ends with .png'],
    [
      ['generate', 'x', '-o', 'no/folder/x.png'],
      '--out: no/folder/x.png could not be written: there is no folder no/folder',
    ],
    [['edit', 'none.png', 'x'], 'image: the file none.png is not there'],
    [['edit', '.', 'x'], 'image: the file . could not be read (EISDIR)'],
  ] as const)('%j end with one line that says why', async ([command, ...args], reason) => {
    await mkdir(join(folder, 'folder.png'))
    const { code, stdout, stderr } = await tessera(command, ...args)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr.split('\n').filter((line) => FAULT.test(line))).toEqual([expect.stringContaining(`error ${reason}`)])
  })

  it('say of a file that is no picture what was expected', async () => {
    await writeFile(join(folder, 'notes.txt'), 'hello')
    const { code, stderr } = await tessera('edit', 'notes.txt', 'make it green')
    expect(code).toBe(2)
    expect(stderr).toBe('error image: must be a PNG, JPEG or WebP file, got 5 bytes of something else\n')
  })
})
