import { ModelFormatError } from '../../errors/index.ts'
import type { WeightFile } from '../files/model-files.ts'
import { describeLfsPointer } from '../weights/lfs-pointer.ts'
import { refuseOverlap } from '../weights/refuse-overlap.ts'
import { GgufCursor, type GgufValue, MoreBytes } from './gguf-cursor.ts'
import { GGML_TYPES, type GgmlType, nameUnread } from './gguf-types.ts'

/** A tensor of a GGUF file. */
export interface GgufTensor {
  readonly type: GgmlType
  /** As transformers counts axes: the last one is that of neighbours. */
  readonly shape: readonly number[]
  /** First byte in the file. */
  readonly offset: number
  /** Bytes. */
  readonly length: number
}

export interface GgufHeader {
  readonly metadata: ReadonlyMap<string, GgufValue>
  readonly tensors: ReadonlyMap<string, GgufTensor>
}

/** Ten times the header of any published model; vocabularies make nearly all of it. */
const MOST_HEADER_BYTES = 2 ** 26
/** More than any model has of either. */
const MOST_TENSORS = 2 ** 16
const MOST_KEYS = 2 ** 12
const LONGEST_NAME = 512
const MOST_DIMENSIONS = 4
/** Elements of one tensor. */
const MOST_ELEMENTS = 2 ** 45

const MAGIC = 0x46554747
const VERSIONS = [2, 3]

/**
 * Reads and checks what stands before the tensors of a GGUF file (ggml/docs/gguf.md). What a length promises is never made
 * before the bytes are there, and every tensor lies inside the file and shares no byte with another.
 *
 * @param path of the file, for errors
 * @throws ModelFormatError when it is damaged, of another version, or has tensors of a type that is not read
 */
export async function readGgufHeader(file: WeightFile, path: string): Promise<GgufHeader> {
  for (let length = 2 ** 20; ; length *= 4) {
    const bytes = await file.read(0, Math.min(length, MOST_HEADER_BYTES, file.size))
    try {
      return parseGgufHeader(bytes, path, file.size)
    } catch (error) {
      if (!(error instanceof MoreBytes)) throw error
      if (bytes.length < Math.min(length, MOST_HEADER_BYTES)) {
        throw new ModelFormatError(path, 'a whole GGUF header', `a file that ends within it, at byte ${bytes.length}`)
      }
      if (length >= MOST_HEADER_BYTES) {
        throw new ModelFormatError(path, `a GGUF header of at most ${MOST_HEADER_BYTES} bytes`, 'a longer one')
      }
    }
  }
}

function parseGgufHeader(bytes: Uint8Array, path: string, fileSize: number): GgufHeader {
  const cursor = new GgufCursor(bytes, path)
  if (cursor.uint32() !== MAGIC) {
    throw new ModelFormatError(path, 'a GGUF file', describeLfsPointer(bytes) ?? 'one that does not begin as one')
  }
  const version = cursor.uint32()
  if (!VERSIONS.includes(version)) {
    const got = version > 0xffff ? 'bytes in the order of big-endian machines' : `version ${version}`
    throw new ModelFormatError(path, `GGUF of version ${VERSIONS.join(' or ')}`, got)
  }
  const tensorCount = cursor.uint64('a number of tensors', MOST_TENSORS)
  const keyCount = cursor.uint64('a number of metadata keys', MOST_KEYS)
  const metadata = new Map<string, GgufValue>()
  for (let i = 0; i < keyCount; i++) {
    const key = cursor.text('a metadata key', LONGEST_NAME)
    if (metadata.has(key)) throw new ModelFormatError(path, `${key} once`, 'it twice')
    metadata.set(key, cursor.value(key))
  }
  const alignment = readAlignment(metadata.get('general.alignment'), path)
  const infos = Array.from({ length: tensorCount }, () => readTensorInfo(cursor, path))
  const dataStart = Math.ceil(cursor.at / alignment) * alignment
  return { metadata, tensors: placeTensors(infos, { path, fileSize, dataStart, alignment }) }
}

function readAlignment(value: GgufValue | undefined, path: string): number {
  const alignment = value ?? 32
  if (
    typeof alignment === 'number' &&
    alignment >= 8 &&
    alignment <= 2 ** 20 &&
    Number.isInteger(Math.log2(alignment))
  ) {
    return alignment
  }
  throw new ModelFormatError(path, 'general.alignment as a power of two from 8 to 1048576', String(value).slice(0, 100))
}

interface TensorInfo {
  readonly name: string
  readonly dims: readonly number[]
  readonly type: number
  readonly offset: number
}

function readTensorInfo(cursor: GgufCursor, path: string): TensorInfo {
  const name = cursor.text('the name of a tensor', LONGEST_NAME)
  const count = cursor.uint32()
  if (count > MOST_DIMENSIONS) {
    throw new ModelFormatError(path, `at most ${MOST_DIMENSIONS} dimensions of ${name}`, String(count))
  }
  const dims = Array.from({ length: count }, () => cursor.uint64(`a dimension of ${name}`, MOST_ELEMENTS))
  return { name, dims, type: cursor.uint32(), offset: cursor.uint64(`an offset of ${name}`, Number.MAX_SAFE_INTEGER) }
}

interface Placement {
  readonly path: string
  readonly fileSize: number
  readonly dataStart: number
  readonly alignment: number
}

function placeTensors(infos: readonly TensorInfo[], placement: Placement): Map<string, GgufTensor> {
  const tensors = new Map<string, GgufTensor>()
  for (const info of infos) {
    if (tensors.has(info.name)) throw new ModelFormatError(placement.path, `the tensor ${info.name} once`, 'it twice')
    tensors.set(info.name, placeTensor(info, placement))
  }
  refuseOverlap(tensors, placement.path)
  return tensors
}

function placeTensor({ name, dims, type: id, offset }: TensorInfo, placement: Placement): GgufTensor {
  const { path, fileSize, dataStart, alignment } = placement
  const type = GGML_TYPES.get(id)
  if (type === undefined) {
    const known = [...GGML_TYPES.values()].map((row) => row.name).join(', ')
    throw new ModelFormatError(path, `tensors of the types ${known}`, `${name} as ${nameUnread(id)}`)
  }
  const elements = dims.reduce((product, dim) => product * dim, 1)
  if (elements === 0 || elements > MOST_ELEMENTS || (dims[0] ?? 1) % type.elements !== 0) {
    const expected = `rows of whole blocks of ${type.elements} (${type.name}), and 1 to ${MOST_ELEMENTS} numbers, in ${name}`
    throw new ModelFormatError(path, expected, `dimensions ${dims.join(' × ')}`)
  }
  const length = (elements / type.elements) * type.bytes
  const start = dataStart + offset
  if (offset % alignment !== 0 || start + length > fileSize) {
    const expected = `${name} at a multiple of ${alignment} within the ${Math.max(0, fileSize - dataStart)} bytes of data`
    throw new ModelFormatError(path, expected, `${length} bytes at ${offset}`)
  }
  return { type, shape: dims.toReversed(), offset: start, length }
}
