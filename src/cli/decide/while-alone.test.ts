import { once } from 'node:events'
import { mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { whileAlone } from './while-alone.ts'

it('work ends on a file that another command took over while this one stood still', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'answers.jsonl')
  await writeFile(file, '')
  const work = whileAlone(file, new AbortController().signal, async (signal) => {
    // As one that takes over does with a lock that was not renewed.
    await rm(`${file}.lock`, { recursive: true })
    await once(signal, 'abort', { signal: AbortSignal.timeout(20_000) })
    signal.throwIfAborted()
  })
  await expect(work).rejects.toThrow('--out: another command took the file over while this one stood still')
})

it('a file that has the name of the lock is told of, and left', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'answers.jsonl')
  await writeFile(`${file}.lock`, 'pid 12')
  const work = whileAlone(file, new AbortController().signal, async () => {})
  await expect(work).rejects.toThrow(`--out: ${file}.lock is a file of something else`)
  expect(await readdir(folder)).toEqual(['answers.jsonl.lock'])
})

describe.skipIf(process.platform === 'win32')('names of POSIX', () => {
  it('a file that is not there yet has one lock by all its names', async () => {
    const folder = temporaryFolder()
    await symlink('target.jsonl', join(folder, 'between.jsonl'))
    await symlink(join(folder, 'between.jsonl'), join(folder, 'link.jsonl'))
    const names = await whileAlone(join(folder, 'link.jsonl'), new AbortController().signal, () => readdir(folder))
    expect(names.toSorted()).toEqual(['between.jsonl', 'link.jsonl', 'target.jsonl.lock'])
  })

  it('a link into a folder that is not there, as of a disk, makes none', async () => {
    const folder = temporaryFolder()
    const file = join(folder, 'link.jsonl')
    await symlink(join(folder, 'disk', 'target.jsonl'), file)
    const work = whileAlone(file, new AbortController().signal, async () => {})
    await expect(work).rejects.toThrow(`--out: ${file} could not be written (ENOENT)`)
    expect(await readdir(folder)).toEqual(['link.jsonl'])
  })

  it('a link within a linked folder leads from where it is', async () => {
    const folder = temporaryFolder()
    await mkdir(join(folder, 'deep', 'inner'), { recursive: true })
    await symlink(join(folder, 'deep', 'inner'), join(folder, 'short'))
    await symlink('../target.jsonl', join(folder, 'short', 'link.jsonl'))
    const name = join(folder, 'short', 'link.jsonl')
    const names = await whileAlone(name, new AbortController().signal, () => readdir(join(folder, 'deep')))
    expect(names.toSorted()).toEqual(['inner', 'target.jsonl.lock'])
  })

  it('a file whose name leaves no room for that of a lock is written without one', async () => {
    const folder = temporaryFolder()
    const file = join(folder, `${'a'.repeat(249)}.jsonl`)
    expect(await whileAlone(file, new AbortController().signal, () => readdir(folder))).toEqual([])
  })
})
