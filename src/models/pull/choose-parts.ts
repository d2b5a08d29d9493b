import { basename, dirname } from 'node:path/posix'
import { ModelFormatError } from '../../errors/index.ts'
import { partNames } from '../gguf/gguf-file.ts'
import { isGgufPath, LATER_PART } from '../gguf/gguf-path.ts'
import type { PartsManifest } from '../parts/parts-manifest.ts'
import { CONTROLNET, PART_FOLDERS, PIPELINE_PARTS, PREVIEW_DECODER } from '../pipeline-parts.ts'
import { isNeeded } from './choose-files.ts'

const NEEDED_PARTS: readonly string[] = PIPELINE_PARTS.map(({ folder }) => folder)

export interface PipelinePaths {
  readonly id: string
  /** Every file of the repository, `/` between folders. */
  readonly paths: readonly string[]
  /** What its `tessera.json` says of parts, paths of the repository. */
  readonly manifest: PartsManifest | undefined
  /** Parts whose weights are not wanted. */
  readonly without: readonly string[]
}

/**
 * Picks the files of the parts of a pipeline where each is opened: safetensors, or the one GGUF file of a folder that has
 * none, in the folder of the part or where `tessera.json` says.
 *
 * @throws ModelFormatError naming all parts that have no such files
 */
export function chooseParts({ id, paths, manifest, without }: PipelinePaths): string[] {
  const chosen: string[] = []
  const lacking: string[] = []
  for (const part of PART_FOLDERS) {
    if (without.includes(part)) continue
    const named = manifest?.parts[part as keyof PartsManifest['parts']]
    const isFile = named !== undefined && paths.includes(named)
    const found = isFile ? allOf(named) : findWeights(paths, named ?? part)
    const isThere = found.length > 0 && found.every((path) => paths.includes(path))
    if (isThere) chosen.push(...found, ...(isFile ? findConfigBeside(paths, part, named) : []))
    // What a base has need not be here, unless it is named.
    else if (named !== undefined || (NEEDED_PARTS.includes(part) && manifest?.base === undefined)) lacking.push(part)
  }
  if (lacking.length === 0) return chosen
  const expected = 'safetensors or one GGUF file for each part of a pipeline that is not named as one to come without'
  throw new ModelFormatError(id, expected, `none for ${lacking.join(', ')}`)
}

function findWeights(paths: readonly string[], folder: string): string[] {
  const inside = paths.filter((path) => dirname(path) === folder)
  const needed = inside.filter((path) => isNeeded(basename(path)))
  if (needed.some((path) => path.endsWith('.safetensors'))) return needed
  const [gguf, ...others] = inside.filter((path) => isGgufPath(path) && !LATER_PART.test(path))
  return gguf === undefined || others.length > 0 ? [] : [...needed, ...allOf(gguf)]
}

/** Of parts that no base has, the configuration of a file may lie beside it, in any folder. */
function findConfigBeside(paths: readonly string[], part: string, file: string): string[] {
  if (part !== CONTROLNET.folder && part !== PREVIEW_DECODER) return []
  return paths.filter((path) => dirname(path) === dirname(file) && basename(path) === 'config.json')
}

/** A file; of a divided one, by its first, all of them. */
function allOf(path: string): string[] {
  const folder = dirname(path)
  return partNames(basename(path)).map((name) => (folder === '.' ? name : `${folder}/${name}`))
}
