import type * as fs from 'node:fs/promises'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from './model-folder.ts'

const refused = vi.hoisted(() => ({ code: '' }))
vi.mock('node:fs/promises', async (importOriginal) => {
  const original = await importOriginal<typeof fs>()
  const refuse = () => Promise.reject(Object.assign(new Error(`${refused.code}: refused`), { code: refused.code }))
  return {
    ...original,
    open: (...args: Parameters<typeof original.open>) => (refused.code ? refuse() : original.open(...args)),
    readFile: (...args: Parameters<typeof original.readFile>) => (refused.code ? refuse() : original.readFile(...args)),
  }
})

it.each(['EMFILE', 'ENFILE'])('a model is not damaged where no file can be opened for a while: %s', async (code) => {
  const folder = temporaryFolder()
  await writeFile(join(folder, 'config.json'), '{}')
  const files = openFolder(folder)
  const weights = (await files.findWeights('config.json'))!
  refused.code = code
  const busy = { code: 'overloaded', retryable: true, message: expect.stringContaining('ulimit -n') }
  await expect(files.readText('config.json')).rejects.toMatchObject(busy)
  await expect(weights.read(0, 2)).rejects.toMatchObject(busy)
  refused.code = ''
  expect(await files.readText('config.json')).toBe('{}')
})
