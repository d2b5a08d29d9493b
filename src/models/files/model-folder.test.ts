import { rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from './model-folder.ts'

let folder: string
beforeEach(() => void (folder = temporaryFolder()))

it('reads texts without the mark of byte order that some begin with', async () => {
  await writeFile(join(folder, 'tessera.json'), '\uFEFF{"name": "mine \uFEFF"}')
  expect(await openFolder(folder).readText('tessera.json')).toBe('{"name": "mine \uFEFF"}')
})

it('names weights that are there and cannot be read', async () => {
  const files = openFolder(folder)
  expect(await files.findWeights('none.safetensors')).toBeUndefined()
  await writeFile(join(folder, 'gone.safetensors'), '')
  const weights = (await files.findWeights('gone.safetensors'))!
  await rm(join(folder, 'gone.safetensors'))
  const refused = { code: 'model_format', expected: 'a file that can be read' }
  await expect(weights.read(0, 8)).rejects.toMatchObject({ ...refused, file: expect.stringMatching(/gone/) })
  await symlink('loop.safetensors', join(folder, 'loop.safetensors'))
  await expect(files.findWeights('loop.safetensors')).rejects.toMatchObject({
    ...refused,
    got: expect.stringMatching(/ELOOP/),
  })
})

it.skipIf(process.platform === 'win32')('reads no device or pipe for a text, which may have no end', async () => {
  await symlink('/dev/null', join(folder, 'config.json'))
  const refused = { code: 'model_format', expected: 'a file', got: 'a device or a pipe' }
  await expect(openFolder(folder).readText('config.json')).rejects.toMatchObject(refused)
})
