import { conv } from '../../onnx/ops/convolution.ts'
import { constant, float, input, noise, type OperatorCase } from './operator-case.ts'

const [OUTPUTS, HEIGHT, WIDTH] = [12, 10, 14]

/** What the autoencoders do to pictures. */
export function pictureCases(): OperatorCase[] {
  return [
    convolutionCase({ kernel: 3, stride: 1, before: 1, after: 1 }),
    convolutionCase({ kernel: 3, stride: 2, before: 0, after: 1 }),
    convolutionCase({ kernel: 1, stride: 1, before: 0, after: 0 }),
    convolutionCase({ kernel: 2, stride: 1, before: 1, after: 0 }),
    convolutionCase({ kernel: 2, stride: 1, before: 0, after: 1 }),
    convolutionCase({ channels: 9, kernel: 3, stride: 1, before: 1, after: 1 }),
    convolutionCase({ channels: 3, kernel: 3, stride: 1, before: 1, after: 1 }),
  ]
}

interface Shape {
  /** @defaultValue 8 */
  readonly channels?: number
  readonly kernel: number
  readonly stride: number
  /** Zeros above and left. */
  readonly before: number
  /** Zeros below and right. */
  readonly after: number
}

function convolutionCase({ channels = 8, kernel, stride, before, after }: Shape): OperatorCase {
  const x = noise(channels * HEIGHT * WIDTH, 31)
  const weights = noise(OUTPUTS * channels * kernel * kernel, 32)
  const bias = noise(OUTPUTS, 33)
  const count = (size: number) => Math.floor((size + before + after - kernel) / stride) + 1
  const [rows, columns] = [count(HEIGHT), count(WIDTH)]
  const pixel = (channel: number, row: number, column: number) =>
    row < 0 || column < 0 || row >= HEIGHT || column >= WIDTH ? 0 : x[(channel * HEIGHT + row) * WIDTH + column]!
  const values = new Float64Array(OUTPUTS * rows * columns)
  for (let at = 0; at < values.length; at++) {
    const output = Math.floor(at / (rows * columns))
    const row = (Math.floor(at / columns) % rows) * stride - before
    const column = (at % columns) * stride - before
    let sum = bias[output]!
    let i = output * channels * kernel * kernel
    for (let channel = 0; channel < channels; channel++) {
      for (let y = 0; y < kernel; y++) {
        for (let x = 0; x < kernel; x++) sum += weights[i++]! * pixel(channel, row + y, column + x)
      }
    }
    values[at] = sum
  }
  return {
    family: 'convolution',
    operands: [
      input(float([1, channels, HEIGHT, WIDTH], x)),
      constant(float([OUTPUTS, channels, kernel, kernel], weights)),
      constant(float([OUTPUTS], bias)),
    ],
    build: (g, picture, weight, shift) =>
      conv(g, picture, weight, shift, { inputs: channels, kernel, stride, padding: [before, before, after, after] }),
    outputs: [{ dims: [1, OUTPUTS, rows, columns], values }],
  }
}
