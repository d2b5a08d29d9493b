import { open, readFile, realpath, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { ModelFormatError } from '../errors/index.ts'
import { parseSafetensorsHeader, readHeaderLength, type SafetensorsHeader } from './safetensors-header.ts'
import type { TensorEntry, WeightIndex } from './weight-index.ts'

/** File names without their endings: transformers' and diffusers' way. */
const STEMS = ['model', 'diffusion_pytorch_model'] as const

/**
 * Reads the headers, never the tensors, of a checkpoint. Links are followed: the index names the folder that the files
 * are really in, such as the blobs of a hub cache, because onnxruntime opens no weight file outside the folder it is
 * given.
 *
 * @param path a `.safetensors` file, or a folder with `model.safetensors` or with shards and
 * `model.safetensors.index.json`; in folders of diffusers checkpoints `diffusion_pytorch_model` stands for `model`
 * @throws ModelFormatError when a file is missing, damaged or inconsistent
 */
export async function readSafetensors(path: string): Promise<WeightIndex> {
  if ((await fileSize(path)) !== undefined) return indexFiles(dirname(path), [basename(path)])
  for (const stem of STEMS) {
    const shards = await readShardIndex(join(path, `${stem}.safetensors.index.json`))
    if (shards !== undefined) return indexFiles(path, [...new Set(shards.values())], shards)
    const single = `${stem}.safetensors`
    if ((await fileSize(join(path, single))) !== undefined) return indexFiles(path, [single])
  }
  const names = STEMS.map((stem) => `${stem}.safetensors`).join(' or ')
  throw new ModelFormatError(path, `${names}, or shards with their index`, 'none of them')
}

/** @param expected which file each tensor must be in, by name */
async function indexFiles(
  folder: string, files: readonly string[], expected: ReadonlyMap<string, string> = new Map(),
): Promise<WeightIndex> {
  const tensors = new Map<string, TensorEntry>()
  const foundIn = new Map<string, string>()
  const metadata: Record<string, string> = {}
  let realFolder = folder
  for (const [i, file] of files.entries()) {
    const path = join(folder, file)
    const header = await readHeader(path)
    const real = await realpath(path)
    if (i === 0) realFolder = dirname(real)
    if (dirname(real) !== realFolder) throw new ModelFormatError(path, `a file or link into ${realFolder}`, real)
    Object.assign(metadata, header.metadata)
    for (const [name, entry] of header.tensors) {
      const other = foundIn.get(name)
      if (other !== undefined) throw new ModelFormatError(path, `${name} in one file only`, `it in ${other} too`)
      foundIn.set(name, file)
      tensors.set(name, { ...entry, file: basename(real) })
    }
  }
  for (const [name, file] of expected) {
    const found = foundIn.get(name) ?? 'no file'
    if (found === file) continue
    throw new ModelFormatError(join(folder, file), `tensor ${name}, as the index of the shards says`, `it in ${found}`)
  }
  return { folder: realFolder, names: [...tensors.keys()], metadata, get: (name) => tensors.get(name) }
}

async function readHeader(path: string): Promise<SafetensorsHeader> {
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
async function readShardIndex(path: string): Promise<Map<string, string> | undefined> {
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
