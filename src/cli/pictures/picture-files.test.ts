import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { writeImage } from '../../engine/index.ts'
import { canMount, mountSmallDisk } from '../../http/test-support/small-disk.ts'
import { writeOutput } from '../output-files.ts'
import { writePicture } from './picture-files.ts'

const png = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(100_000, 7)])
const b64_json = png.toString('base64')

describe.skipIf(!canMount())('what is written on a full disk', () => {
  it('is not there in part, and what was there before stays', async () => {
    const disk = await mountSmallDisk()
    const file = join(disk.folder, 'a.png')
    try {
      await writeFile(file, 'mine')
      await disk.fill()
      const writes = [
        writePicture(file, b64_json, true),
        writePicture(join(disk.folder, 'b.png'), b64_json, false),
        writeOutput('--out', file, 'x'.repeat(100_000)),
        writeImage(file, { b64_json }),
      ]
      await Promise.all(writes.map((write) => expect(write).rejects.toThrow('ENOSPC')))
      expect(await readFile(file, 'utf8')).toBe('mine')
      expect((await readdir(disk.folder)).toSorted()).toEqual(['a.png', 'filler'])
    } finally {
      await disk.remove()
    }
  })
})
