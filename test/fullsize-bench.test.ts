import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { expect, it } from 'vitest'
import { findCheckpoint, fullsizeBench, measureCheckpoint } from '../bench/fullsize/bench-fullsize.ts'
import { renderFullsize } from '../bench/fullsize/render-fullsize.ts'
import type { FullsizeModel } from '../bench/fullsize/results.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

it.each(['qwen3-4b-int8', 'z-image-int4', 'z-image-rows', 'z-image-control-int4', 'klein-4b-int4'])(
  'the bench of full sizes measures %s in miniature and deletes it',
  async (name) => {
    const work = temporaryFolder()
    const folder = relative(process.cwd(), join(work, 'model'))
    const model = await measureCheckpoint(findCheckpoint(name), 'tiny', { threads: 1, side: 64 }, folder)
    expect(await readdir(work)).toEqual([])
    expect(model.file).toBeGreaterThan(5e6)
    expect(model.open).toBeGreaterThan(model.before)
    expect(model.peak).toBeGreaterThanOrEqual(model.open)
    expect(model.opening_ms).toBeGreaterThan(0)
    for (const ms of Object.values(model.times)) expect(ms).toBeGreaterThan(0)
    expect(renderFullsize({ models: [model] })).not.toMatch(/NaN|undefined/)
  },
)

it('keeps what an earlier recording has of other checkpoints', () => {
  const model = (name: string, peak: number) => ({ name, peak }) as FullsizeModel
  const before = { models: [model('z-image-int4', 1), model('qwen3-4b-int8', 2)] }
  const { models } = fullsizeBench.join!(before, { models: [model('z-image-int4', 3)] })
  expect(models).toEqual([model('qwen3-4b-int8', 2), model('z-image-int4', 3)])
})
