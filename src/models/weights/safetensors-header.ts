import { ModelFormatError } from '../../errors/index.ts'
import { describeLfsPointer } from './lfs-pointer.ts'
import { refuseOverlap } from './refuse-overlap.ts'
import { SAFETENSORS_BYTES, type SafetensorsType, type TensorEntry } from './weight-index.ts'

/** Several times the header of any published file. The reference implementation's limit is three times as much. */
const MAX_HEADER_BYTES = 2 ** 25
/** Behind what a file has less of than its header says. */
const CUT_OFF = ': the file is cut off, fetch it again'
/** More than any file has. */
const MOST_TENSORS = 2 ** 16
/** As of GGUF files. Patterns that names are compared with take time with the square of what strangers may write there. */
const LONGEST_NAME = 512

export interface SafetensorsHeader {
  readonly tensors: ReadonlyMap<string, TensorEntry>
  readonly metadata: Readonly<Record<string, string>>
}

/**
 * Checks the eight bytes a safetensors file begins with.
 *
 * @returns the length of the JSON that follows them
 */
export function readHeaderLength(prefix: Uint8Array, file: string, fileSize: number): number {
  if (prefix.length < 8) throw new ModelFormatError(file, 'a safetensors file of at least 8 bytes', `${fileSize} bytes`)
  const length = Number(new DataView(prefix.buffer, prefix.byteOffset).getBigUint64(0, true))
  const pointer = describeLfsPointer(prefix)
  if (pointer !== undefined) throw new ModelFormatError(file, 'a safetensors file', pointer)
  const most = Math.min(MAX_HEADER_BYTES, fileSize - 8)
  if (length <= most) return length
  const expected = `a safetensors header of at most ${most} bytes`
  if (length <= MAX_HEADER_BYTES) throw new ModelFormatError(file, expected, `${length} bytes${CUT_OFF}`)
  const kind = describeOther(prefix)
  if (kind !== undefined) throw new ModelFormatError(file, 'a safetensors file', kind)
  throw new ModelFormatError(file, expected, `${length} bytes`)
}

/** What else lies under the name of such files, by its first characters, where they are no length of a header. */
function describeOther(prefix: Uint8Array): string | undefined {
  const start = String.fromCharCode(...prefix.subarray(0, 4))
  if (/^\s*</.test(start)) return 'a web page, as a hub sends where it refuses a download'
  if (start.startsWith('PK'))
    return 'an archive as torch.save writes, which save_pretrained of transformers or diffusers writes anew'
  return start === 'GGUF' ? 'a GGUF file, whose name has to end in .gguf' : undefined
}

/** Parses and checks the JSON of a safetensors header. Every tensor lies inside the file and none overlaps another. */
export function parseSafetensorsHeader(json: Uint8Array, file: string, fileSize: number): SafetensorsHeader {
  const entries = Object.entries(parseObject(json, file))
  if (entries.length > MOST_TENSORS) {
    throw new ModelFormatError(file, `at most ${MOST_TENSORS} tensors`, String(entries.length))
  }
  const dataStart = 8 + json.length
  const tensors = new Map<string, TensorEntry>()
  let metadata: Record<string, string> = {}
  for (const [name, value] of entries) {
    if (name.length > LONGEST_NAME) {
      const got = `${name.slice(0, 100)}… of ${name.length}`
      throw new ModelFormatError(file, `names of tensors of at most ${LONGEST_NAME} characters`, got)
    }
    if (name === '__metadata__') metadata = parseMetadata(value, file)
    else tensors.set(name, parseEntry(value, name, file, dataStart, fileSize))
  }
  refuseOverlap(tensors, file)
  refuseGaps(tensors, file, fileSize - dataStart)
  return { tensors, metadata }
}

/** Bytes of no tensor are those of one whose name was there twice, or of a file that is damaged. The reference refuses them too. */
function refuseGaps(tensors: ReadonlyMap<string, TensorEntry>, file: string, size: number): void {
  const covered = [...tensors.values()].reduce((sum, { length }) => sum + length, 0)
  if (covered === size) return
  throw new ModelFormatError(
    file,
    `tensors in all of the ${size} bytes of data, each once`,
    `${covered} bytes of tensors`,
  )
}

function parseObject(json: Uint8Array, file: string): Record<string, unknown> {
  let parsed: unknown
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json))
  } catch {
    throw new ModelFormatError(file, 'a safetensors header in JSON', `${json.length} bytes that are not`)
  }
  if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) return parsed as Record<string, unknown>
  throw new ModelFormatError(file, 'a JSON object as safetensors header', 'other JSON')
}

/** The reference implementation refuses other files, also those that were written from them. */
function parseMetadata(value: unknown, file: string): Record<string, string> {
  const metadata = value ?? {}
  const isObject = typeof metadata === 'object' && !Array.isArray(metadata)
  if (isObject && Object.values(metadata).every((text) => typeof text === 'string')) {
    return metadata as Record<string, string>
  }
  throw new ModelFormatError(file, '__metadata__ as names and texts', isObject ? 'other values' : 'other JSON')
}

/** Shortens the value that a damaged file has in place of something. */
function show(value: unknown): string {
  if (Array.isArray(value))
    return `a list of ${value.length}: ${value
      .slice(0, 4)
      .map((item) => typeof item)
      .join(', ')}`
  return typeof value === 'string'
    ? JSON.stringify(value.slice(0, 100))
    : typeof value === 'number'
      ? String(value)
      : typeof value
}

/** No tensor of a model has more. */
const MOST_DIMENSIONS = 16

function parseEntry(value: unknown, tensor: string, file: string, dataStart: number, fileSize: number): TensorEntry {
  const name = tensor.slice(0, 200)
  const { dtype, shape, data_offsets: offsets } = (value ?? {}) as Record<string, unknown>
  if (typeof dtype !== 'string' || !Object.hasOwn(SAFETENSORS_BYTES, dtype)) {
    throw new ModelFormatError(file, `dtype of ${name} in ${Object.keys(SAFETENSORS_BYTES).join(', ')}`, show(dtype))
  }
  if (!isCounts(shape) || shape.length > MOST_DIMENSIONS) {
    throw new ModelFormatError(file, `at most ${MOST_DIMENSIONS} whole numbers as shape of ${name}`, show(shape))
  }
  if (!isCounts(offsets) || offsets.length !== 2 || offsets[0]! > offsets[1]! || dataStart + offsets[1]! > fileSize) {
    const expected = `data_offsets of ${name} within the ${fileSize - dataStart} bytes of data`
    const isCut = isCounts(offsets) && offsets.length === 2 && offsets[0]! <= offsets[1]!
    const got = isCounts(offsets) ? `[${offsets.slice(0, 2)}]` : show(offsets)
    throw new ModelFormatError(file, expected, isCut ? `${got}${CUT_OFF}` : got)
  }
  const [start, end] = offsets as [number, number]
  const length = shape.reduce((product, dim) => product * dim, SAFETENSORS_BYTES[dtype as SafetensorsType])
  if (end - start !== length) {
    throw new ModelFormatError(file, `${length} bytes for ${name} (${dtype} [${shape}])`, `${end - start} bytes`)
  }
  return { dtype: dtype as SafetensorsType, shape, file, offset: dataStart + start, length }
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0)
}
