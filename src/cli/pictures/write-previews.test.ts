import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { canMount, mountSmallDisk } from '../../http/test-support/small-disk.ts'
import { writePreviews } from './write-previews.ts'

const preview = { picture: 0, step: 1, steps: 4, b64_json: Buffer.alloc(100_000, 7).toString('base64') }

describe('writePreviews', () => {
  it('writes a file a step, in place of that of an earlier run', async () => {
    const folder = temporaryFolder()
    const write = writePreviews(join(folder, 'looks'))
    write({ ...preview, b64_json: 'AAAA' })
    write(preview)
    expect(await readdir(join(folder, 'looks'))).toEqual(['0-1.png'])
    expect(await readFile(join(folder, 'looks/0-1.png'), 'base64')).toBe(preview.b64_json)
  })

  it.skipIf(!canMount())('leaves no half picture on a full disk', async () => {
    const disk = await mountSmallDisk()
    try {
      const write = writePreviews(disk.folder)
      await disk.fill()
      expect(() => write(preview)).toThrow(`--previews: nothing could be written into ${disk.folder} (ENOSPC)`)
      expect(await readdir(disk.folder)).toEqual(['filler'])
    } finally {
      await disk.remove()
    }
  })
})
