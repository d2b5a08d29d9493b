import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { writeHollowAdapter } from '../../../test/helpers/hollow-adapter.ts'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { openFolder } from '../files/model-folder.ts'
import type { WeightIndex } from '../weights/weight-index.ts'
import type { Change } from './change.ts'
import { requireRoomOfChanges } from './require-room.ts'
import { withLora } from './with-lora.ts'

let work: string
beforeEach(() => void (work = temporaryFolder()))

const BASE: WeightIndex = { folder: '/m', names: [], metadata: {}, sources: [], get: () => undefined }

it('adapters with too many numbers together are refused by their headers, with sum and limit', async () => {
  const paths = await Promise.all(
    ['a', 'b', 'c', 'd'].map((name) => writeHollowAdapter(join(work, `${name}.safetensors`))),
  )
  const loras = paths.map((path) => ({ path, scale: 1 }))
  await expect(withLora(openFolder(work), loras).changes!(BASE)).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'lora',
    reason: 'must be adapters of at most 503316480 numbers together, got 536870912; choose fewer or smaller ones',
  })
})

it('numbers that stand for several matrices count for each of them', () => {
  const matrix = { rows: 1, columns: 2 ** 24, values: new Float32Array(2 ** 24) }
  const one = { rows: 1, columns: 1, values: new Float32Array(1) }
  const change: Change = { kind: 'product', left: one, right: matrix, scale: 1, file: 'a' }
  const several = (count: number) =>
    new Map(Array.from({ length: count }, (_, index) => [`matrix.${index}`, [change]] as const))
  expect(() => requireRoomOfChanges(several(29))).not.toThrow()
  expect(() => requireRoomOfChanges(several(30))).toThrow('at most 503316480 numbers together, got 503316510')
})
