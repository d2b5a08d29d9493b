import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import type { PixelImage } from '../../src/images/index.ts'
import { readSafetensors } from '../../src/models/index.ts'
import { decodeFloats } from '../../src/models/weights/decode-floats.ts'
import type { Square } from './wanted.ts'

const aboutSchema = z.object({ size: z.number(), classes: z.array(z.string()), accuracy: z.number() })

/** The recipe's classifier of the model's objects, a perceptron with one hidden layer on a few pixels. */
export interface Classifier {
  /** Names of the objects, without `nothing`, the last class. */
  readonly objects: readonly string[]
  /** Share of squares, composed as for training but others, that it gets right. */
  readonly accuracy: number
  classify(picture: PixelImage, square: Square): string
}

/** @param folder with `classifier.json` and `classifier.safetensors` */
export async function loadClassifier(folder: string): Promise<Classifier> {
  const about: unknown = JSON.parse(await readFile(join(folder, 'classifier.json'), 'utf8'))
  const { size, classes, accuracy } = aboutSchema.parse(about)
  const file = join(folder, 'classifier.safetensors')
  const index = await readSafetensors(file)
  const handle = await open(file)
  const read = async (name: string) => {
    const entry = index.get(name)
    if (entry === undefined) throw new Error(`expected ${name} in ${file}`)
    const { buffer } = await handle.read(Buffer.alloc(entry.length), 0, entry.length, entry.offset)
    return decodeFloats(buffer, entry.dtype)
  }
  const hidden = { weight: await read('hidden.weight'), bias: await read('hidden.bias') }
  const output = { weight: await read('output.weight'), bias: await read('output.bias') }
  await handle.close()
  return {
    objects: classes.slice(0, -1),
    accuracy,
    classify(picture, square) {
      const active = apply(hidden, shrink(picture, square, size)).map((value) => Math.max(0, value))
      const scores = apply(output, active)
      return classes[scores.indexOf(Math.max(...scores))]!
    },
  }
}

interface Layer {
  readonly weight: Float32Array
  readonly bias: Float32Array
}

function apply({ weight, bias }: Layer, input: Float32Array): Float32Array {
  return bias.map((start, row) => input.reduce((sum, value, i) => sum + value * weight[row * input.length + i]!, start))
}

/** Means of areas, as torch's adaptive_avg_pool2d takes them: [3, size, size] from -1 to 1. */
function shrink({ data, width }: PixelImage, [left, top, side]: Square, size: number): Float32Array {
  const values = new Float32Array(3 * size * size)
  const from = (i: number) => Math.floor((i * side) / size)
  const to = (i: number) => Math.ceil(((i + 1) * side) / size)
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const area = (to(row) - from(row)) * (to(column) - from(column))
      for (let channel = 0; channel < 3; channel++) {
        let sum = 0
        for (let y = from(row); y < to(row); y++) {
          for (let x = from(column); x < to(column); x++) sum += data[((top + y) * width + left + x) * 3 + channel]!
        }
        values[(channel * size + row) * size + column] = sum / area / 127.5 - 1
      }
    }
  }
  return values
}
