import type { PixelImage } from '../../src/images/picture/pixel-image.ts'

/** White inside a box, black outside, as the generators of fixtures draw masks. */
export function drawMask(
  width: number,
  height: number,
  [left, top, right, bottom]: readonly [left: number, top: number, right: number, bottom: number],
): PixelImage {
  const data = new Uint8Array(width * height * 3)
  for (let row = top; row < bottom; row++) data.fill(255, (row * width + left) * 3, (row * width + right) * 3)
  return { width, height, channels: 3, data }
}
