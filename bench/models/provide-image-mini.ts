import { rm } from 'node:fs/promises'
import { quantizeCheckpoint } from '../../src/models/index.ts'

const SHIPPED = 'models/image-mini'

/** The embedded image model, and what `tessera quantize` makes of it, in blocks of 32 for its short rows. */
export async function provideImageMini(): Promise<{ readonly weights: string; readonly folder: string }[]> {
  const variants = [{ weights: 'as shipped', folder: SHIPPED }]
  for (const bits of [8, 4] as const) {
    const folder = `out/bench-models/image-mini-int${bits}`
    // It takes less than a second, and the shipped one may have changed.
    await rm(folder, { recursive: true, force: true })
    await quantizeCheckpoint({ folder: SHIPPED, out: folder, bits, blockSize: 32 })
    variants.push({ weights: `int${bits}`, folder })
  }
  return variants
}
