import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import type { ReadTensor } from '../weights/open-tensors.ts'
import type { WeightIndex } from '../weights/weight-index.ts'

/** How ComfyUI calls E4M3. Its other formats are refused by their names. */
const FORMAT = 'float8_e4m3fn'
const LIST = '_quantization_metadata'
const MARK = '.comfy_quant'
/** In older files, that weights have scales. */
const MARK_OF_FILE = 'scaled_fp8'
/** More than any file has layers. */
const MOST_MARKS = 4096
/** Bytes of a mark; those in use have less than a hundred. */
const LONGEST_MARK = 4096
/** Characters of a list: 256 for each of the most layers. Those in use have about a hundred for one. */
const LONGEST_LIST = 256 * MOST_MARKS

const layerSchema = z.looseObject({ format: z.string() })
// A list of layers is measured before it is parsed, and counted before any of it is checked.
const listSchema = z.looseObject({
  layers: z.custom<object>((layers) => typeof layers === 'object' && layers !== null),
})

/**
 * The tensors without those that only say what others are: ComfyUI names the layers that it quantised in the metadata of the
 * file, or in a text beside each.
 *
 * @throws ModelFormatError naming a layer of another format than E4M3, or one that is not stored as is said
 */
export async function takeMarksOff(weights: WeightIndex, read: ReadTensor): Promise<WeightIndex> {
  const marks = weights.names.filter((name) => name.endsWith(MARK) || isMarkOfFile(name))
  requireFew(marks.length, MARK, weights.folder)
  const formats = new Map<string, string>()
  const list = weights.metadata[LIST]
  if (list !== undefined) {
    if (list.length > LONGEST_LIST) {
      const expected = `at most ${LONGEST_LIST} characters in ${LIST}`
      throw new ModelFormatError(weights.folder, expected, String(list.length))
    }
    const { layers } = parse(list, listSchema, weights.folder, `${LIST} with the format of each layer`)
    const entries: [string, unknown][] = Object.entries(layers)
    requireFew(entries.length, LIST, weights.folder)
    for (const [layer, value] of entries) {
      formats.set(
        layer,
        check(value, layerSchema, weights.folder, `a format of ${layer.slice(0, 200)} in ${LIST}`).format,
      )
    }
  }
  for (const name of marks) {
    if (isMarkOfFile(name)) continue
    const entry = weights.get(name)!
    const path = `${weights.folder}/${entry.file}`
    if (entry.dtype !== 'U8' || entry.length > LONGEST_MARK) {
      const got = `${entry.length} bytes of ${entry.dtype}`
      throw new ModelFormatError(path, `${name.slice(0, 200)} as at most ${LONGEST_MARK} bytes of U8`, got)
    }
    const text = new TextDecoder().decode(await read(entry, 0, entry.length))
    const { format } = parse(text, layerSchema, path, `JSON with a format in ${name.slice(0, 200)}`)
    formats.set(name.slice(0, -MARK.length), format)
  }
  for (const [layer, format] of formats) checkLayer(weights, layer, format)
  const left = new Set(weights.names)
  for (const name of marks) left.delete(name)
  return { ...weights, names: [...left], get: (name) => (left.has(name) ? weights.get(name) : undefined) }
}

/** Names of a part may have a prefix, this one too. */
function isMarkOfFile(name: string): boolean {
  return name === MARK_OF_FILE || name.endsWith(`.${MARK_OF_FILE}`)
}

function requireFew(count: number, name: string, path: string): void {
  if (count > MOST_MARKS) throw new ModelFormatError(path, `at most ${MOST_MARKS} layers in ${name}`, String(count))
}

function parse<Schema extends z.ZodType>(text: string, schema: Schema, path: string, expected: string) {
  try {
    return check(JSON.parse(text), schema, path, expected)
  } catch (cause) {
    throw cause instanceof ModelFormatError ? cause : new ModelFormatError(path, expected, 'no JSON', { cause })
  }
}

function check<Schema extends z.ZodType>(value: unknown, schema: Schema, path: string, expected: string) {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new ModelFormatError(path, expected, 'something else')
}

function checkLayer(weights: WeightIndex, layer: string, format: string): void {
  const name = `${layer.slice(0, 200)}.weight`
  if (format !== FORMAT) {
    throw new ModelFormatError(weights.folder, `layers that ComfyUI quantised to ${FORMAT}`, `${name} as ${format}`)
  }
  const entry = weights.get(`${layer}.weight`)
  if (entry?.dtype === 'F8_E4M3') return
  const expected = `${name} as F8_E4M3, as ${LIST} or ${MARK} says`
  throw new ModelFormatError(weights.folder, expected, entry?.dtype ?? 'no such tensor')
}
