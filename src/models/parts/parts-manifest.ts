import { isAbsolute, join, relative, resolve } from 'node:path'
import * as z from 'zod'
import { ModelFormatError } from '../../errors/index.ts'
import { readOptionalConfig } from '../configs/read-config.ts'
import type { ModelFiles } from '../files/model-files.ts'
import type { PipelinePart, PREVIEW_DECODER } from '../pipeline-parts.ts'

/** What `tessera.json` says of where the parts of a pipeline are. */
const schema = z.looseObject({
  /** A pipeline whose files count where the folder has none: a hub id, or a path that begins with `/`, `./` or `../`. */
  base: z.string().min(1).optional(),
  /** Files or folders of parts, from the folder of `tessera.json`. */
  parts: z
    .strictObject({
      transformer: z.string().min(1).optional(),
      text_encoder: z.string().min(1).optional(),
      vae: z.string().min(1).optional(),
      preview_decoder: z.string().min(1).optional(),
      controlnet: z.string().min(1).optional(),
    })
    .optional(),
})

const FILE = 'tessera.json'

type NamedPart = PipelinePart | typeof PREVIEW_DECODER

export interface PartsManifest {
  readonly base?: string | undefined
  /** Absolute paths. */
  readonly parts: Readonly<Partial<Record<NamedPart, string>>>
}

/**
 * @param isTrusted whether the folder may point to others: one that was downloaded may not, as its text comes from elsewhere
 * @returns undefined where there is none, or it says nothing of parts
 */
export async function readPartsManifest(files: ModelFiles, isTrusted: boolean): Promise<PartsManifest | undefined> {
  const found = await readOptionalConfig(files, FILE, schema, 'base and parts of a pipeline, beside other values')
  if (found === undefined || (found.base === undefined && found.parts === undefined)) return undefined
  const parts: Partial<Record<NamedPart, string>> = {}
  for (const [part, path] of Object.entries(found.parts ?? {})) {
    if (path === undefined) continue
    const target = resolve(files.location, path)
    const way = relative(files.location, target)
    if (!isTrusted && (way.startsWith('..') || isAbsolute(way))) {
      throw new ModelFormatError(
        join(files.location, FILE),
        `a path within its folder as parts.${part}`,
        path.slice(0, 200),
      )
    }
    parts[part as NamedPart] = target
  }
  return { base: found.base, parts }
}
