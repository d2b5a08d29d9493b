/** Float values [channels, height, width]. */
export interface Planes {
  readonly channels: number
  readonly height: number
  readonly width: number
  readonly data: Float32Array
}

export interface Area {
  readonly top: number
  readonly left: number
  readonly height: number
  readonly width: number
}

/** The part of `planes` in `area`, which may reach over its right and lower edges. */
export function cut(planes: Planes, { top, left, ...area }: Area): Planes {
  const height = Math.min(area.height, planes.height - top)
  const width = Math.min(area.width, planes.width - left)
  const data = new Float32Array(planes.channels * height * width)
  for (let line = 0; line < planes.channels * height; line++) {
    const row = Math.floor(line / height) * planes.height + top + (line % height)
    const start = row * planes.width + left
    data.set(planes.data.subarray(start, start + width), line * width)
  }
  return { channels: planes.channels, height, width, data }
}

/** Writes the upper left part of `planes`, at most `limit` rows and columns of it, into `target`. */
export function paste(target: Planes, planes: Planes, top: number, left: number, limit: number): void {
  const height = Math.min(limit, planes.height)
  const width = Math.min(limit, planes.width)
  for (let line = 0; line < planes.channels * height; line++) {
    const channel = Math.floor(line / height)
    const row = line % height
    const start = (channel * planes.height + row) * planes.width
    const to = (channel * target.height + top + row) * target.width + left
    target.data.set(planes.data.subarray(start, start + width), to)
  }
}

/** Fades from the last `extent` rows of the tile above into the first ones of `tile`, in place. */
export function blendFromAbove(above: Planes, tile: Planes, extent: number): void {
  const rows = Math.min(above.height, tile.height, extent)
  for (let channel = 0; channel < tile.channels; channel++) {
    for (let y = 0; y < rows; y++) {
      const from = (channel * above.height + above.height - rows + y) * above.width
      const to = (channel * tile.height + y) * tile.width
      for (let x = 0; x < tile.width; x++) fade(above.data[from + x]!, tile.data, to + x, y / rows)
    }
  }
}

/** Fades from the last `extent` columns of the tile to the left into the first ones of `tile`, in place. */
export function blendFromLeft(before: Planes, tile: Planes, extent: number): void {
  const columns = Math.min(before.width, tile.width, extent)
  for (let row = 0; row < tile.channels * tile.height; row++) {
    const from = (row + 1) * before.width - columns
    for (let x = 0; x < columns; x++) fade(before.data[from + x]!, tile.data, row * tile.width + x, x / columns)
  }
}

function fade(other: number, data: Float32Array, index: number, share: number): void {
  data[index] = Math.fround(other * (1 - share)) + Math.fround(data[index]! * share)
}
