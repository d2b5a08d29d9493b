import type { TensorFormat } from '../../models/configs/quantization-config.ts'
import type { ProductSpeeds } from './measure-products.ts'
import { nameProductFormat, type ProductFormat } from './product-graph.ts'

/** The format that `tessera quantize` takes where it may choose, and why. */
export interface FormatAdvice {
  readonly format: TensorFormat
  /** How many times as fast as blocks of 128 the product of the most rows is with whole rows. */
  readonly gain: number
  readonly reason: string
}

/** The nearest to float, and what is read fast on every machine. */
const PORTABLE: TensorFormat = { bits: 8, block_size: 128 }
const ROWS: TensorFormat = { bits: 8, block_size: 'row' }
/** Rows deviate more than blocks do, so they have to be worth it. */
const WORTHWHILE = 2

/** Rows of int8 where they are at least twice as fast as blocks of 128, else those. */
export function adviseFormat(speeds: ProductSpeeds): FormatAdvice {
  const most = speeds.rows.length - 1
  const gain = speedOf(speeds, ROWS, most) / speedOf(speeds, PORTABLE, most)
  const format = gain >= WORTHWHILE ? ROWS : PORTABLE
  const than = `products with ${nameProductFormat(ROWS)} are ${gain.toFixed(1)} times as fast as with ${nameProductFormat(PORTABLE)} here`
  const verdict =
    gain >= WORTHWHILE
      ? '; the copy is less accurate, so measure it on your own texts (npx tessera-onnx eval)'
      : `, and from ${WORTHWHILE} times on they are worth their larger deviation`
  return { format, gain, reason: `${than}${verdict}` }
}

/** The format with the fastest products of that many rows, by their place in `rows`. */
export function fastestFormat({ speeds }: ProductSpeeds, at: number): ProductFormat {
  return speeds.reduce((best, one) => (one.gflops[at]! > best.gflops[at]! ? one : best)).format
}

function speedOf({ speeds }: ProductSpeeds, format: TensorFormat, at: number): number {
  const found = speeds.find((one) => nameProductFormat(one.format) === nameProductFormat(format))
  if (found === undefined) throw new RangeError(`expected a measured speed of ${nameProductFormat(format)}`)
  return found.gflops[at]!
}
