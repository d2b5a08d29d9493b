/** Float values [channels, height, width]. */
export interface Planes {
  readonly channels: number
  readonly height: number
  readonly width: number
  readonly data: Float32Array
}

/** Rows of all channels, from the first up to but without the last. */
export interface Rows {
  readonly from: number
  readonly to: number
}

export function createPlanes(channels: number, height: number, width: number): Planes {
  return { channels, height, width, data: new Float32Array(channels * height * width) }
}

export function toTensor({ channels, height, width, data }: Planes) {
  return { type: 'float32', dims: [1, channels, height, width], data } as const
}

/** Copies rows of `source` to `target`, where they start at row `at`. */
export function copyRows(source: Planes, { from, to }: Rows, target: Planes, at: number): void {
  const { channels, width } = source
  for (let channel = 0; channel < channels; channel++) {
    const start = (channel * source.height + from) * width
    const rows = source.data.subarray(start, start + (to - from) * width)
    target.data.set(rows, (channel * target.height + at) * width)
  }
}
