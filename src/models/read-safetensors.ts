import { open, readFile, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ModelFormatError } from '../errors/index.ts'
import { parseSafetensorsHeader, readHeaderLength, type SafetensorsHeader } from './safetensors-header.ts'
import type { TensorEntry, WeightIndex } from './weight-index.ts'

const SINGLE_FILE = 'model.safetensors'
const SHARD_INDEX = 'model.safetensors.index.json'

/**
 * Reads the headers, never the tensors, of a checkpoint.
 *
 * @param path a `.safetensors` file, or a folder with `model.safetensors` or with shards and
 * `model.safetensors.index.json`
 * @throws ModelFormatError when a file is missing, damaged or inconsistent
 */
export async function readSafetensors(path: string): Promise<WeightIndex> {
  if ((await fileSize(path)) !== undefined) return indexFiles(dirname(path), [basename(path)])
  const shards = await readShardIndex(path)
  if (shards === undefined) return indexFiles(path, [SINGLE_FILE])
  const index = await indexFiles(path, [...new Set(shards.values())])
  for (const [name, file] of shards) {
    const found = index.get(name)?.file
    if (found === file) continue
    const got = found === undefined ? 'none' : `it in ${found}`
    throw new ModelFormatError(join(path, file), `tensor ${name}, as ${SHARD_INDEX} says`, got)
  }
  return index
}

async function indexFiles(folder: string, files: readonly string[]): Promise<WeightIndex> {
  const tensors = new Map<string, TensorEntry>()
  const metadata: Record<string, string> = {}
  for (const file of files) {
    const header = await readHeader(folder, file)
    Object.assign(metadata, header.metadata)
    for (const [name, entry] of header.tensors) {
      const other = tensors.get(name)
      if (other) throw new ModelFormatError(join(folder, file), `${name} in one file only`, `it in ${other.file} too`)
      tensors.set(name, { ...entry, file })
    }
  }
  return { folder, names: [...tensors.keys()], metadata, get: (name) => tensors.get(name) }
}

async function readHeader(folder: string, file: string): Promise<SafetensorsHeader> {
  const path = join(folder, file)
  const size = await fileSize(path)
  if (size === undefined) throw new ModelFormatError(path, 'a safetensors file', 'no such file')
  const handle = await open(path)
  try {
    const prefix = await handle.read(new Uint8Array(8), 0, 8, 0)
    const length = readHeaderLength(prefix.buffer.subarray(0, prefix.bytesRead), path, size)
    const json = new Uint8Array(length)
    await handle.read(json, 0, length, 8)
    return parseSafetensorsHeader(json, path, size)
  } finally {
    await handle.close()
  }
}

/** The `weight_map` of a sharded checkpoint: tensor name to file name. */
async function readShardIndex(folder: string): Promise<Map<string, string> | undefined> {
  const path = join(folder, SHARD_INDEX)
  if ((await fileSize(path)) === undefined) return undefined
  let map: unknown
  try {
    map = (JSON.parse(await readFile(path, 'utf8')) as { weight_map?: unknown }).weight_map
  } catch {
    throw new ModelFormatError(path, 'JSON with a weight_map', 'something that is not JSON')
  }
  if (typeof map !== 'object' || map === null) throw new ModelFormatError(path, 'JSON with a weight_map', 'none')
  const shards = new Map(Object.entries(map))
  for (const [name, file] of shards) {
    // Weight files are opened by the runtime from inside this folder and from nowhere else.
    if (typeof file === 'string' && file === basename(file) && file !== '..') continue
    throw new ModelFormatError(path, `a file name without a path for ${name}`, JSON.stringify(file))
  }
  return shards as Map<string, string>
}

async function fileSize(path: string): Promise<number | undefined> {
  const stats = await stat(path).catch(() => undefined)
  return stats?.isFile() ? stats.size : undefined
}
