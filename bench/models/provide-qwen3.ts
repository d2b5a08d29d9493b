import { exists } from '../../src/models/files/exists.ts'
import type { RandomQwen3 } from './qwen3-shape.ts'
import { writeRandomQwen3 } from './write-random-qwen3.ts'

/** Folder of a bundle of random weights in the shapes of Qwen3-0.6B; it is written once and kept. */
export async function provideQwen3(which: RandomQwen3): Promise<string> {
  const folder = `out/bench-models/qwen3-0.6b-random-int${which.bits}-${which.layers}${which.block ? '-rows' : ''}`
  if (!(await exists(folder))) await writeRandomQwen3(folder, which)
  return folder
}
