/** Side of the squares of latent values that make one token in Z-Image. */
const PATCH = 2

/**
 * Latents [channels, height, width] to tokens [height/2 · width/2, 4 · channels]: squares of 2 x 2 in reading order,
 * in each the channel as the fastest axis.
 */
export function patchify(latents: Float32Array, channels: number, height: number, width: number): Float32Array {
  const tokens = new Float32Array(latents.length)
  visitPatches(channels, height, width, (token, latent) => {
    tokens[token] = latents[latent]!
  })
  return tokens
}

/** The inverse of {@link patchify}. */
export function unpatchify(tokens: Float32Array, channels: number, height: number, width: number): Float32Array {
  const latents = new Float32Array(tokens.length)
  visitPatches(channels, height, width, (token, latent) => {
    latents[latent] = tokens[token]!
  })
  return latents
}

function visitPatches(
  channels: number,
  height: number,
  width: number,
  visit: (token: number, latent: number) => void,
): void {
  let token = 0
  for (let top = 0; top < height; top += PATCH) {
    for (let left = 0; left < width; left += PATCH) {
      for (let square = 0; square < PATCH * PATCH; square++) {
        const corner = (top + Math.floor(square / PATCH)) * width + left + (square % PATCH)
        for (let channel = 0; channel < channels; channel++) visit(token++, channel * height * width + corner)
      }
    }
  }
}

/** Swaps the axes of a row-major [rows, columns] matrix: channels first to tokens, and back. */
export function transposeMatrix(values: Float32Array, rows: number, columns: number): Float32Array {
  const swapped = new Float32Array(values.length)
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) swapped[column * rows + row] = values[row * columns + column]!
  }
  return swapped
}
