import { join } from 'node:path'
import { ModelFormatError } from '../../errors/index.ts'
import { bringsTemplate, TEMPLATE_FILE } from '../chat-template.ts'
import type { ModelFiles } from '../files/model-files.ts'
import { openFolder } from '../files/model-folder.ts'
import { findBase, isDownloaded } from '../find/find-base.ts'
import { isGgufPath } from '../gguf/gguf-path.ts'
import type { Matrices } from '../gguf/gguf-tensors.ts'
import { CONTROLNET, PIPELINE_PARTS, type PipelinePart, PREVIEW_DECODER } from '../pipeline-parts.ts'
import { openGgufPart } from './open-gguf-part.ts'
import { openStoredPart } from './open-stored-part.ts'
import { showPlace } from './part-files.ts'
import { findPart, type PartPlace } from './part-place.ts'
import { type PartsManifest, readPartsManifest } from './parts-manifest.ts'

const INDEX = 'model_index.json'

interface Pipeline {
  readonly manifest: PartsManifest | undefined
  /** Folder of the pipeline whose files count where this folder has none. */
  readonly base: string | undefined
}

/**
 * The files of a folder; of a pipeline with parts in other formats than those of diffusers, or in other places, as diffusers
 * saves one. Nothing is read before it is asked for.
 *
 * @param matrices what quantised ones of GGUF files become
 */
export function openParts(files: ModelFiles, matrices: Matrices): ModelFiles {
  let opening: Promise<Pipeline> | undefined
  const open = () => (opening ??= readPipeline(files))
  const parts = new Map<string, ModelFiles>()
  const place = async (part: PipelinePart | typeof PREVIEW_DECODER) => {
    const { manifest, base } = await open()
    const own = join(files.location, part)
    // Pipelines are published without these two, and so without their configuration; what lies beside a file of another part may be that of any model.
    const besides = part === CONTROLNET.folder || part === PREVIEW_DECODER
    return findPart(manifest?.parts[part], base === undefined ? [own] : [own, join(base, part)], besides)
  }
  return {
    ...files,
    async readText(name) {
      const own = await files.readText(name)
      const { manifest, base } = await open()
      if (manifest === undefined || name === 'tessera.json') return own
      const text = own ?? (base === undefined ? undefined : await openFolder(base).readText(name))
      if (name === INDEX) await requireParts(files, text, { place, base })
      return text
    },
    within(name) {
      if (name === PREVIEW_DECODER) {
        return openLate(files.within(name), async () => {
          const found = await place(PREVIEW_DECODER)
          return found && showPlace(found)
        })
      }
      const part = [...PIPELINE_PARTS, CONTROLNET].find(({ folder }) => folder === name)?.folder
      if (part === undefined) return openTexts(files.within(name), name, open, place)
      const opened =
        parts.get(name) ?? openLate(files.within(name), async () => openPart(part, await place(part), matrices))
      parts.set(name, opened)
      return opened
    },
  }
}

async function readPipeline(files: ModelFiles): Promise<Pipeline> {
  const isTrusted = !isDownloaded(files.location)
  const manifest = await readPartsManifest(files, isTrusted)
  if (manifest?.base === undefined) return { manifest, base: undefined }
  const origin = { folder: files.location, file: join(files.location, 'tessera.json'), field: 'base' }
  return { manifest, base: (await findBase(manifest.base, origin)).path }
}

async function openPart(part: PipelinePart, place: PartPlace | undefined, matrices: Matrices) {
  if (place === undefined) return undefined
  const { file } = place
  return file !== undefined && isGgufPath(file)
    ? openGgufPart(part, { ...place, file }, matrices)
    : openStoredPart(part, place)
}

/** The files of a part, found when the first of them is asked for; as they lie where there are no weights. */
function openLate(files: ModelFiles, open: () => Promise<ModelFiles | undefined>): ModelFiles {
  let opening: Promise<ModelFiles> | undefined
  const opened = () => (opening ??= open().then((found) => found ?? files))
  return {
    ...files,
    made: async () => (await opened()).made?.(),
    readText: async (name) => (await opened()).readText(name),
    findWeights: async (name) => (await opened()).findWeights(name),
  }
}

/** A folder of texts, such as that of the scheduler; a text encoder in GGUF brings its own tokenizer. */
function openTexts(
  files: ModelFiles,
  name: string,
  open: () => Promise<Pipeline>,
  place: (part: PipelinePart) => Promise<PartPlace | undefined>,
): ModelFiles {
  return {
    ...files,
    async readText(text) {
      const own = await files.readText(text)
      if (own !== undefined || (text === TEMPLATE_FILE && (await bringsTemplate(files)))) return own
      const { base } = await open()
      const shared = base === undefined ? undefined : await openFolder(join(base, name)).readText(text)
      if (shared !== undefined || name !== 'tokenizer') return shared
      const encoder = await place('text_encoder')
      if (encoder?.file === undefined || !isGgufPath(encoder.file)) return undefined
      return (await openPart('text_encoder', encoder, 'blocks'))?.readText(text)
    },
  }
}

interface Places {
  place(part: PipelinePart): Promise<PartPlace | undefined>
  readonly base: string | undefined
}

/** @throws ModelFormatError naming every part that is lacking */
async function requireParts(files: ModelFiles, index: string | undefined, { place, base }: Places): Promise<void> {
  const lacking: string[] = index === undefined ? [INDEX] : []
  for (const { folder } of PIPELINE_PARTS) if ((await place(folder)) === undefined) lacking.push(folder)
  const encoder = await place('text_encoder')
  const hasTokenizer = encoder?.file !== undefined && isGgufPath(encoder.file)
  const texts = { scheduler: 'scheduler_config.json', ...(!hasTokenizer && { tokenizer: 'tokenizer.json' }) }
  for (const [folder, text] of Object.entries(texts)) {
    const folders = base === undefined ? [files.location] : [files.location, base]
    const found = await Promise.all(folders.map((from) => openFolder(join(from, folder)).readText(text)))
    if (found.every((one) => one === undefined)) lacking.push(folder)
  }
  if (lacking.length === 0) return
  const expected = 'all parts of a pipeline: in folders here, as paths in "parts", or those of a "base"'
  throw new ModelFormatError(join(files.location, 'tessera.json'), expected, `none of ${lacking.join(', ')}`)
}
