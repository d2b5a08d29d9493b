import sharp from 'sharp'
import type { PixelImage } from '../../src/images/index.ts'

const GAP = 8
const COLUMNS = 6

/** Pictures of one size in rows, as WebP. */
export async function writeSheet(file: string, pictures: readonly PixelImage[]): Promise<void> {
  const { width, height } = pictures[0]!
  const rows = Math.ceil(pictures.length / COLUMNS)
  const base = sharp({
    create: {
      width: COLUMNS * (width + GAP) + GAP,
      height: rows * (height + GAP) + GAP,
      channels: 3,
      background: '#d4d4d8',
    },
  })
  await base
    .composite(
      pictures.map(({ data }, i) => ({
        input: Buffer.from(data),
        raw: { width, height, channels: 3 as const },
        left: GAP + (i % COLUMNS) * (width + GAP),
        top: GAP + Math.floor(i / COLUMNS) * (height + GAP),
      })),
    )
    .webp({ quality: 90 })
    .toFile(file)
}
