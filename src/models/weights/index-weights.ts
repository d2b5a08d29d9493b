import { ModelFormatError } from '../../errors/index.ts'
import { describeNotJson } from '../configs/describe-not-json.ts'
import { shorten } from '../configs/model-config.ts'
import { describeOthers, howToPull } from '../describe-others.ts'
import type { FileState } from '../files/file-state.ts'
import type { ModelFiles, WeightFile } from '../files/model-files.ts'
import { parseSafetensorsHeader, readHeaderLength, type SafetensorsHeader } from './safetensors-header.ts'
import type { TensorEntry, WeightIndex } from './weight-index.ts'

/**
 * Reads the headers, never the tensors, of a checkpoint: of `model.safetensors` or of shards with
 * `model.safetensors.index.json`; in folders of diffusers checkpoints `diffusion_pytorch_model` stands for `model`.
 * Where a folder has both forms, transformers reads the single file and diffusers the shards.
 *
 * @throws ModelFormatError when a file is missing, damaged or inconsistent
 */
export async function indexWeights(files: ModelFiles): Promise<WeightIndex> {
  const found =
    (await indexSingle(files, 'model')) ??
    (await indexShards(files, 'model')) ??
    (await indexShards(files, 'diffusion_pytorch_model')) ??
    (await indexSingle(files, 'diffusion_pytorch_model'))
  if (found !== undefined) return files.changes ? { ...found, changes: await files.changes(found) } : found
  const expected = 'model.safetensors or diffusion_pytorch_model.safetensors, or shards with their index'
  throw new ModelFormatError(files.location, expected, await describeOthers(files))
}

async function indexSingle(files: ModelFiles, stem: string): Promise<WeightIndex | undefined> {
  const name = `${stem}.safetensors`
  return (await files.findWeights(name)) && indexFiles(files, [name])
}

async function indexShards(files: ModelFiles, stem: string): Promise<WeightIndex | undefined> {
  const shards = await readShardIndex(files, `${stem}.safetensors.index.json`)
  return shards && indexFiles(files, [...new Set(shards.values())], shards)
}

/**
 * Reads the headers of these files. The index names the folder that they are really in, such as the blobs of a hub
 * cache.
 *
 * @param expected which file each tensor must be in, by name
 */
export async function indexFiles(
  files: ModelFiles,
  names: readonly string[],
  expected: ReadonlyMap<string, string> = new Map(),
): Promise<WeightIndex> {
  const tensors = new Map<string, TensorEntry>()
  const foundIn = new Map<string, string>()
  const metadata: Record<string, string> = {}
  const sources: FileState[] = []
  let folder = files.location
  for (const [i, name] of names.entries()) {
    const path = `${files.location}/${name}`
    const file = await files.findWeights(name)
    if (file === undefined) {
      throw new ModelFormatError(
        path,
        'a safetensors file',
        ['no such file', howToPull(files)].filter(Boolean).join(': '),
      )
    }
    if (i === 0) folder = file.folder
    if (file.folder !== folder) {
      throw new ModelFormatError(path, `a file or link into ${folder}`, `${file.folder}/${file.name}`)
    }
    sources.push(...(file.sources ?? []))
    const header = await readHeader(file, path)
    Object.assign(metadata, header.metadata)
    for (const [tensor, entry] of header.tensors) {
      const other = foundIn.get(tensor)
      if (other !== undefined)
        throw new ModelFormatError(path, `${shorten(tensor)} in one file only`, `it in ${other} too`)
      foundIn.set(tensor, name)
      tensors.set(tensor, { ...entry, file: file.name })
    }
  }
  for (const [tensor, name] of expected) {
    const found = foundIn.get(tensor) ?? 'no file'
    if (found === name) continue
    const wanted = `tensor ${shorten(tensor)}, as the index of the shards says`
    throw new ModelFormatError(`${files.location}/${name}`, wanted, `it in ${found}`)
  }
  return { folder, names: [...tensors.keys()], metadata, sources, get: (name) => tensors.get(name) }
}

async function readHeader(file: WeightFile, path: string): Promise<SafetensorsHeader> {
  const length = readHeaderLength(await file.read(0, 8), path, file.size)
  return parseSafetensorsHeader(await file.read(8, length), path, file.size)
}

/** The `weight_map` of a sharded checkpoint: tensor name to file name. */
export async function readShardIndex(files: ModelFiles, name: string): Promise<Map<string, string> | undefined> {
  const path = `${files.location}/${name}`
  const text = await files.readText(name)
  if (text === undefined) return undefined
  let map: unknown
  try {
    map = (JSON.parse(text) as { weight_map?: unknown }).weight_map
  } catch {
    throw new ModelFormatError(path, 'JSON with a weight_map', describeNotJson(text))
  }
  if (typeof map !== 'object' || map === null) throw new ModelFormatError(path, 'JSON with a weight_map', 'none')
  const shards = new Map(Object.entries(map))
  for (const [tensor, file] of shards) {
    // Weight files are opened by the runtime from inside this folder and from nowhere else.
    if (typeof file === 'string' && /^[^/\\]{1,255}$/.test(file) && file !== '..') continue
    throw new ModelFormatError(path, `a file name without a path for ${shorten(tensor)}`, shorten(JSON.stringify(file)))
  }
  return shards as Map<string, string>
}
