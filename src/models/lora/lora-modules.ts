import { ModelFormatError } from '../../errors/index.ts'
import { decodeFloats, isFloatType } from '../weights/decode-floats.ts'
import type { OpenTensors } from '../weights/open-tensors.ts'
import type { TensorEntry } from '../weights/weight-index.ts'
import type { Matrix } from './change.ts'
import { countNumbers } from './require-room.ts'

/** Parts of a change under the names that peft (`lora_A`, `lora_B`) and lycoris (`lokr_…`) give them. */
export type PartName =
  | 'lora_A'
  | 'lora_B'
  | 'lokr_w1'
  | 'lokr_w1_a'
  | 'lokr_w1_b'
  | 'lokr_w2'
  | 'lokr_w2_a'
  | 'lokr_w2_b'

/** What an adapter says of one module. */
export interface LoraModule {
  readonly name: string
  readonly parts: Map<PartName, Matrix>
  alpha?: number
}

/** The ends of names: those of peft and diffusers, of kohya, of older versions of diffusers, and of lycoris. */
const DOWN = /^(.+)(?:\.lora_A(?:\.\w+)?|\.lora_down|\.lora\.down|_lora\.down|\.lora_linear_layer\.down)\.weight$/
const UP = /^(.+)(?:\.lora_B(?:\.\w+)?|\.lora_up|\.lora\.up|_lora\.up|\.lora_linear_layer\.up)\.weight$/
const KRONECKER = /^(.+)\.(lokr_w[12](?:_[ab])?)$/
const ALPHA = /^(.+)\.alpha$/
/** DoRA divides by norms of the changed rows. */
const DORA = /\.(lora_magnitude_vector(\..+)?|dora_scale)$/

/** Bytes of all numbers as float32: they travel inside a graph, whose encoding ends at 2 GiB. */
const MOST_BYTES = 2 ** 30

/**
 * Reads an adapter, module by module.
 *
 * @throws ModelFormatError counting and naming tensors that are no part of LoRA or LoKr, or are there twice
 */
export async function readModules(adapter: OpenTensors): Promise<LoraModule[]> {
  const { weights } = adapter
  const file = weights.sources[0]?.path ?? weights.folder
  requireRoom(adapter, file)
  const modules = new Map<string, LoraModule>()
  const strange: string[] = []
  const misfits: string[] = []
  for (const name of weights.names) {
    const entry = weights.get(name)!
    const [module, part] = readName(name)
    const at: LoraModule = modules.get(module) ?? { name: module, parts: new Map() }
    if (part === 'alpha' && isNumber(entry)) at.alpha = await readNumber(adapter, entry)
    else if (part === undefined) {
      strange.push(name)
      continue
    } else if (part === 'alpha' || !isMatrix(entry)) {
      misfits.push(`${name} [${entry.shape.slice(0, 8)}] of ${entry.dtype}`)
      continue
    } else if (at.parts.has(part)) {
      throw new ModelFormatError(file, `one ${part} of ${module.slice(0, 200)}`, 'another under another spelling')
    } else at.parts.set(part, await readMatrix(adapter, name))
    modules.set(module, at)
  }
  if (strange.length > 0) refuseStrange(strange, file)
  if (misfits.length === 0) return [...modules.values()]
  throw new ModelFormatError(file, 'matrices of F32, F16 or BF16, and one number as alpha', count(misfits))
}

function refuseStrange(strange: readonly string[], file: string): never {
  const dora = strange.filter((name) => DORA.test(name))
  if (dora.length > 0) throw new ModelFormatError(file, 'LoRA without DoRA, which is not computed', count(dora))
  throw new ModelFormatError(
    file,
    'matrices of LoRA or LoKr, as peft, diffusers, kohya or lycoris name them',
    count(strange),
  )
}

/** How many there are, and the first of them. */
export function count(names: readonly string[]): string {
  const shown = names.slice(0, 3).map((name) => name.slice(0, 200))
  return `${names.length} ${names.length === 1 ? 'other' : 'others'}: ${shown.join(', ')}${names.length > shown.length ? ', …' : ''}`
}

function readName(name: string): readonly [module: string, part: PartName | 'alpha' | undefined] {
  const [, down] = DOWN.exec(name) ?? []
  if (down !== undefined) return [down, 'lora_A']
  const [, up] = UP.exec(name) ?? []
  if (up !== undefined) return [up, 'lora_B']
  const [, module, factor] = KRONECKER.exec(name) ?? []
  if (module !== undefined) return [module, factor as PartName]
  const [, owner] = ALPHA.exec(name) ?? []
  return owner === undefined ? [name, undefined] : [owner, 'alpha']
}

function requireRoom({ weights }: OpenTensors, file: string): void {
  const numbers = countNumbers(weights)
  if (4 * numbers <= MOST_BYTES) return
  throw new ModelFormatError(file, `at most ${MOST_BYTES / 4} numbers in an adapter`, String(numbers))
}

async function readMatrix({ weights, read }: OpenTensors, name: string): Promise<Matrix> {
  const entry = weights.get(name)!
  const [rows, columns] = entry.shape as [number, number]
  const values = decodeFloats(await read(entry, 0, entry.length), entry.dtype)
  if (values.every(Number.isFinite)) return { rows, columns, values }
  throw new ModelFormatError(
    weights.sources[0]?.path ?? weights.folder,
    `finite values in ${name.slice(0, 200)}`,
    'NaN or infinity',
  )
}

function isMatrix({ shape, dtype }: TensorEntry): boolean {
  return shape.length === 2 && !shape.includes(0) && isFloatType(dtype)
}

function isNumber({ shape, dtype }: TensorEntry): boolean {
  return shape.every((dim) => dim === 1) && (isFloatType(dtype) || dtype === 'I64')
}

async function readNumber({ weights, read }: OpenTensors, entry: TensorEntry): Promise<number> {
  const bytes = await read(entry, 0, entry.length)
  const value =
    entry.dtype === 'I64' ? Number(new BigInt64Array(bytes.slice().buffer)[0]) : decodeFloats(bytes, entry.dtype)[0]!
  if (Number.isFinite(value)) return value
  throw new ModelFormatError(weights.sources[0]?.path ?? weights.folder, 'a finite alpha', String(value))
}
