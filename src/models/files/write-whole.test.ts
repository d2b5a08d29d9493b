import { chmod, chown, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { canMount, mountSmallDisk, type SmallDisk } from '../../http/test-support/small-disk.ts'
import { writeWhole } from './write-whole.ts'

vi.mock(import('node:fs/promises'), async (original) => {
  const actual = await original()
  return { ...actual, chown: vi.fn<typeof chown>(actual.chown) }
})

const LARGE = Buffer.alloc(100_000, 7)

describe('writeWhole', () => {
  let folder: string
  let file: string
  beforeEach(() => {
    folder = temporaryFolder()
    file = join(folder, 'a.txt')
  })

  it('makes a file and replaces it, with its permissions', async () => {
    await writeWhole(file, 'one', { mode: 0o600 })
    expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600)
    await chmod(file, 0o640)
    await writeWhole(file, 'two')
    expect(await readFile(file, 'utf8')).toBe('two')
    expect((await stat(file)).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o640)
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  it.skipIf(process.getuid?.() !== 0)('leaves a file to its owner and group', async () => {
    await writeFile(file, 'one')
    await chown(file, 1234, 5678)
    await chmod(file, 0o640)
    await writeWhole(file, 'two')
    expect(await stat(file)).toMatchObject({ uid: 1234, gid: 5678, mode: 0o100640 })
    // Another user cannot give files away.
    vi.mocked(chown).mockRejectedValueOnce(Object.assign(new Error('EINVAL'), { code: 'EINVAL' }))
    await writeWhole(file, 'three')
    expect(await stat(file)).toMatchObject({ uid: 1234, gid: 5678, mode: 0o100640 })
    expect(await readFile(file, 'utf8')).toBe('three')
    await expect(writeWhole(file, 'four', { replace: false })).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  it('lets one of several make a file that is not to be replaced', async () => {
    const outcomes = await Promise.allSettled(
      ['one', 'two', 'three'].map((text) => writeWhole(file, text, { replace: false })),
    )
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected', 'rejected'])
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled')
    expect(await readFile(file, 'utf8')).toBe(['one', 'two', 'three'][winner])
    await expect(writeWhole(file, 'four', { replace: false })).rejects.toMatchObject({ code: 'EEXIST' })
    expect(await readdir(folder)).toEqual(['a.txt'])
  })

  it.skipIf(process.platform === 'win32')('writes to devices, and to what a link points to', async () => {
    await writeWhole('/dev/null', 'x')
    expect((await stat('/dev/null')).isCharacterDevice()).toBe(true)
    await writeFile(file, 'one')
    await symlink(file, join(folder, 'b.txt'))
    await writeWhole(join(folder, 'b.txt'), 'two')
    expect(await readFile(file, 'utf8')).toBe('two')
  })

  it('takes names as long as the system does', async () => {
    const long = `${'n'.repeat(251)}.txt`
    await writeWhole(join(folder, long), 'x')
    expect(await readdir(folder)).toEqual([long])
  })

  it('says what is wrong with the path', async () => {
    const lost = join(folder, 'no', 'a.txt')
    const message = `ENOENT: no such file or directory, open '${lost}'`
    await expect(writeWhole(lost, 'x')).rejects.toMatchObject({ code: 'ENOENT', path: lost, message })
    await expect(writeWhole(folder, 'x')).rejects.toMatchObject({ code: 'EISDIR' })
  })
})

describe.skipIf(!canMount())('writeWhole on a full disk', () => {
  let disk: SmallDisk
  beforeAll(async () => {
    disk = await mountSmallDisk()
  })
  afterAll(() => disk.remove())

  it('leaves what was there, and nothing where nothing was', async () => {
    const file = join(disk.folder, 'a.txt')
    await writeWhole(file, 'one')
    await disk.fill()
    await expect(writeWhole(file, LARGE)).rejects.toMatchObject({ code: 'ENOSPC' })
    await expect(writeWhole(join(disk.folder, 'b.txt'), LARGE, { replace: false })).rejects.toMatchObject({
      code: 'ENOSPC',
    })
    expect(await readFile(file, 'utf8')).toBe('one')
    expect((await readdir(disk.folder)).toSorted()).toEqual(['a.txt', 'filler'])
  })
})
