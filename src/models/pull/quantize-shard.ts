import { mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ModelFormatError } from '../../errors/index.ts'
import type { QuantizationConfig } from '../configs/quantization-config.ts'
import { openFolder } from '../files/model-folder.ts'
import { findRoughMatrices } from '../quantize/find-rough-matrices.ts'
import type { SliceQuantizer } from '../quantize/slice-quantizer.ts'
import { writeQuantized } from '../quantize/write-quantized.ts'
import { indexFiles } from '../weights/index-weights.ts'
import type { QuantizedPart } from './quantized-parts.ts'

export interface ShardOptions {
  readonly id: string
  readonly part: QuantizedPart
  /** Of the file, in the repository and in both folders. */
  readonly path: string
  /** Folder that it was downloaded to. */
  readonly source: string
  /** Folder of the copy. */
  readonly made: string
  readonly bits: QuantizationConfig['bits']
  readonly blockSize: QuantizationConfig['block_size']
  readonly quantizer: SliceQuantizer
  readonly signal?: AbortSignal | undefined
}

/**
 * Quantises one file of weights into the copy, where it appears once it is whole. With whole rows, matrices that are too rough in them
 * stay in blocks.
 *
 * @throws ModelFormatError, AbortedError
 */
export async function quantizeShard(options: ShardOptions): Promise<void> {
  const { id, part, path, source, made, bits, blockSize, quantizer, signal } = options
  const { folder, matrices } = part
  const files = openFolder(join(source, folder))
  const weights = await indexFiles(files, [path.slice(folder === '' ? 0 : folder.length + 1)])
  const narrow = weights.names.find((tensor) => weights.get(tensor)!.dtype === 'F8_E4M3')
  if (narrow !== undefined)
    throw new ModelFormatError(`${id}/${path}`, 'float weights; those in FP8 are pulled, then quantised', narrow)
  const target = join(made, path)
  const draft = `${target}.partial`
  await mkdir(dirname(target), { recursive: true })
  // What a process that was killed has left of it.
  await rm(draft, { force: true })
  const writing = { matrices, source: files, quantizer, folder: join(id, folder), signal }
  const rough = blockSize === 'row' ? await findRoughMatrices(weights, writing) : []
  const names = new Set(rough.map(({ name }) => name))
  await writeQuantized(draft, weights, { ...writing, bits, blockSize, rough: names })
  await rename(draft, target)
}

/** Says in which shard the tensors of a part of the copy are. */
export async function writeIndex(made: string, { folder, index, shards }: QuantizedPart): Promise<void> {
  if (index === undefined) return
  const files = openFolder(join(made, folder))
  const map: Record<string, string> = {}
  let size = 0
  for (const name of shards) {
    const weights = await indexFiles(files, [name])
    for (const tensor of weights.names) {
      map[tensor] = name
      size += weights.get(tensor)!.length
    }
  }
  await writeFile(join(made, folder, index), JSON.stringify({ metadata: { total_size: size }, weight_map: map }))
}

/** Names of the matrices of a part that stayed in blocks, as it was quantised to whole rows. */
export async function listRough(made: string, { folder, shards }: QuantizedPart): Promise<string[]> {
  const weights = await indexFiles(openFolder(join(made, folder)), shards)
  return weights.names.filter(
    (name) => weights.get(name)!.dtype === 'U8' && weights.get(`${name}.scales`) !== undefined,
  )
}
