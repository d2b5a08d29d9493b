export interface Grid {
  readonly height: number
  readonly width: number
}

/** Tokens are padded to a multiple of this in Z-Image. */
const MULTIPLE = 32

/** Length of a Z-Image sequence with its padding. */
export function padLength(tokens: number): number {
  return Math.ceil(tokens / MULTIPLE) * MULTIPLE
}

/** Z-Image axes (frame, row, column) of the caption's tokens, padding included: frames 1, 2, ... */
export function captionPositions(padded: number): Int32Array {
  const positions = new Int32Array(padded * 3)
  for (let token = 0; token < padded; token++) positions[token * 3] = token + 1
  return positions
}

/** Z-Image axes of the picture's tokens, which lie in the frame behind the padded caption; padding is at the origin. */
export function picturePositions({ height, width }: Grid, paddedCaption: number): Int32Array {
  const positions = new Int32Array(padLength(height * width) * 3)
  for (let token = 0; token < height * width; token++) {
    positions.set([paddedCaption + 1, Math.floor(token / width), token % width], token * 3)
  }
  return positions
}

/** FLUX.2 puts reference r in frame 10, 20, ... of its first axis. */
const REFERENCE_FRAMES = 10

/** FLUX.2 axes (frame, row, column, token) of the text, then the picture to make, then its references. */
export function jointPositions(textTokens: number, target: Grid, references: readonly Grid[]): Int32Array {
  const rows: number[][] = Array.from({ length: textTokens }, (_, token) => [0, 0, 0, token])
  for (const [r, { height, width }] of [target, ...references].entries()) {
    for (let token = 0; token < height * width; token++) {
      rows.push([r * REFERENCE_FRAMES, Math.floor(token / width), token % width, 0])
    }
  }
  return Int32Array.from(rows.flat())
}
