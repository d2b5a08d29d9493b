import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { readFloats, readTensorBytes } from '../../../test/helpers/read-tensor.ts'
import { formatOf, type QuantizationConfig } from '../../models/configs/quantization-config.ts'
import { SafetensorsWriter } from '../../models/weights/safetensors-writer.ts'
import type { WeightIndex } from '../../models/weights/weight-index.ts'

interface Checkpoint {
  readonly config: { readonly quantization_config?: QuantizationConfig | undefined }
  readonly weights: WeightIndex
}

/** Writes the weights of `source` (the float shapes) with the values that `quantized` stores for them. */
export async function writeDequantized(source: Checkpoint, quantized: Checkpoint, folder: string): Promise<void> {
  await mkdir(folder)
  const { names } = source.weights
  const plans = names.map((name) => {
    const { shape, dtype } = source.weights.get(name)!
    return { name, shape, dtype: shape.length === 2 ? ('F32' as const) : dtype }
  })
  const writer = await SafetensorsWriter.create(join(folder, 'model.safetensors'), plans, {})
  for (const { name, shape } of plans) {
    const data = shape.length === 2 ? dequantize(quantized, name, shape[1]!) : readTensorBytes(source.weights, name)
    await writer.append(name, new Uint8Array(data))
  }
  await writer.close()
}

function dequantize({ config, weights }: Checkpoint, name: string, width: number): ArrayBuffer {
  const { bits, block_size: blockSize } = formatOf(config.quantization_config!, name)
  const bytes = new Uint8Array(readTensorBytes(weights, name))
  const scales = readFloats(weights, `${name}.scales`)
  if (blockSize === 'row') {
    const signed = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
    return Float32Array.from(signed, (value, i) => value * scales[Math.floor(i / width)]!).buffer
  }
  const rows: number[] = []
  const blocks = Math.ceil(width / blockSize)
  for (let row = 0; row < scales.length / blocks; row++) {
    for (let column = 0; column < width; column++) {
      const index = row * blocks * blockSize + column
      const level = bits === 8 ? bytes[index]! : (bytes[index >> 1]! >> (4 * (index & 1))) & 15
      rows.push((level - 2 ** (bits - 1)) * scales[row * blocks + Math.floor(column / blockSize)]!)
    }
  }
  return Float32Array.from(rows).buffer
}
