import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { cpuBackend } from '../../test/helpers/cpu-backend.ts'
import { IMAGE_JOB, type OpenedImageTask, openTinyImageTask } from '../../test/helpers/image-task.ts'
import { drawPicture } from '../../test/helpers/pseudo-random.ts'
import { sharpCodec } from './picture/sharp-codec.ts'

const backend = await cpuBackend()
let opened: OpenedImageTask
beforeAll(async () => {
  opened = await openTinyImageTask(backend, 'klein-distilled', [[64, 64]])
})
afterEach(() => {
  vi.restoreAllMocks()
})
afterAll(() => opened.close())

/** Turns of an edit of a picture of this side, on a machine that takes long for each of its rows. */
async function countTurns(side: number, withMask: boolean): Promise<number> {
  const image = await sharpCodec.encode(drawPicture('source', side, side, 3))
  let clock = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (clock += 250))
  let turns = 0
  const turn = async () => void turns++
  const { size: _, ...job } = IMAGE_JOB
  await opened.task.editImage({ ...job, image, ...(withMask && { mask: image }) }, { turn, onProgress: () => {} })
  return turns
}

it.each([
  ['an edit', false],
  ['one with a mask', true],
])('%s of a large picture lets other jobs go on while it is resampled', async (_, withMask) => {
  const [small, large] = [await countTurns(64, withMask), await countTurns(700, withMask)]
  // One for every row that is read of the source, and of its mask.
  expect(large - small).toBeGreaterThan(withMask ? 1300 : 650)
})
