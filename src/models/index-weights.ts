import { ModelFormatError } from '../errors/index.ts'
import type { ModelFiles, WeightFile } from './model-files.ts'
import { parseSafetensorsHeader, readHeaderLength, type SafetensorsHeader } from './safetensors-header.ts'
import type { TensorEntry, WeightIndex } from './weight-index.ts'

/** File names without their endings: transformers' and diffusers' way. */
const STEMS = ['model', 'diffusion_pytorch_model'] as const

/**
 * Reads the headers, never the tensors, of a checkpoint: of `model.safetensors` or of shards with
 * `model.safetensors.index.json`; in folders of diffusers checkpoints `diffusion_pytorch_model` stands for `model`.
 *
 * @throws ModelFormatError when a file is missing, damaged or inconsistent
 */
export async function indexWeights(files: ModelFiles): Promise<WeightIndex> {
  for (const stem of STEMS) {
    const shards = await readShardIndex(files, `${stem}.safetensors.index.json`)
    if (shards !== undefined) return indexFiles(files, [...new Set(shards.values())], shards)
    const single = `${stem}.safetensors`
    if ((await files.findWeights(single)) !== undefined) return indexFiles(files, [single])
  }
  const names = STEMS.map((stem) => `${stem}.safetensors`).join(' or ')
  throw new ModelFormatError(files.location, `${names}, or shards with their index`, 'none of them')
}

/**
 * Reads the headers of these files. The index names the folder that they are really in, such as the blobs of a hub
 * cache.
 *
 * @param expected which file each tensor must be in, by name
 */
export async function indexFiles(
  files: ModelFiles, names: readonly string[], expected: ReadonlyMap<string, string> = new Map(),
): Promise<WeightIndex> {
  const tensors = new Map<string, TensorEntry>()
  const foundIn = new Map<string, string>()
  const metadata: Record<string, string> = {}
  let folder = files.location
  for (const [i, name] of names.entries()) {
    const path = `${files.location}/${name}`
    const file = await files.findWeights(name)
    if (file === undefined) throw new ModelFormatError(path, 'a safetensors file', 'no such file')
    if (i === 0) folder = file.folder
    if (file.folder !== folder) {
      throw new ModelFormatError(path, `a file or link into ${folder}`, `${file.folder}/${file.name}`)
    }
    const header = await readHeader(file, path)
    Object.assign(metadata, header.metadata)
    for (const [tensor, entry] of header.tensors) {
      const other = foundIn.get(tensor)
      if (other !== undefined) throw new ModelFormatError(path, `${tensor} in one file only`, `it in ${other} too`)
      foundIn.set(tensor, name)
      tensors.set(tensor, { ...entry, file: file.name })
    }
  }
  for (const [tensor, name] of expected) {
    const found = foundIn.get(tensor) ?? 'no file'
    if (found === name) continue
    const wanted = `tensor ${tensor}, as the index of the shards says`
    throw new ModelFormatError(`${files.location}/${name}`, wanted, `it in ${found}`)
  }
  return { folder, names: [...tensors.keys()], metadata, get: (name) => tensors.get(name) }
}

async function readHeader(file: WeightFile, path: string): Promise<SafetensorsHeader> {
  const length = readHeaderLength(await file.read(0, 8), path, file.size)
  return parseSafetensorsHeader(await file.read(8, length), path, file.size)
}

/** The `weight_map` of a sharded checkpoint: tensor name to file name. */
async function readShardIndex(files: ModelFiles, name: string): Promise<Map<string, string> | undefined> {
  const path = `${files.location}/${name}`
  const text = await files.readText(name)
  if (text === undefined) return undefined
  let map: unknown
  try {
    map = (JSON.parse(text) as { weight_map?: unknown }).weight_map
  } catch {
    throw new ModelFormatError(path, 'JSON with a weight_map', 'something that is not JSON')
  }
  if (typeof map !== 'object' || map === null) throw new ModelFormatError(path, 'JSON with a weight_map', 'none')
  const shards = new Map(Object.entries(map))
  for (const [tensor, file] of shards) {
    // Weight files are opened by the runtime from inside this folder and from nowhere else.
    if (typeof file === 'string' && /^[^/\\]+$/.test(file) && file !== '..') continue
    throw new ModelFormatError(path, `a file name without a path for ${tensor}`, JSON.stringify(file))
  }
  return shards as Map<string, string>
}
