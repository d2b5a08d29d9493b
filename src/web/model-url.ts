import type { ModelFiles, WeightFile } from '../models/files/model-files.ts'
import { downloadPart } from './download-part.ts'
import { download, type DownloadOptions } from './download.ts'
import { findKept } from './kept-files.ts'
import type { WeightStore } from './weight-store.ts'

export interface UrlOptions extends DownloadOptions {
  /** Whether of weight files only what is read is loaded, where their server allows that. @defaultValue false */
  readonly inParts?: boolean
  /** URLs of texts that turned out not to be there: they are not asked for again, and those that turn out so are added. */
  readonly absent?: Set<string>
}

/** What a safetensors file begins with: the length of its header. */
const PREFIX_BYTES = 8

/**
 * The files of a model below a URL. Texts are loaded once.
 *
 * @param options for all files; bytes are told of weight files
 */
export function openUrl(url: string, weights: WeightStore, options: UrlOptions): ModelFiles {
  return filesBelow(url, { weights, options, texts: new Map() })
}

interface Loading {
  readonly weights: WeightStore
  readonly options: UrlOptions
  /** By URL: what opens a model asks for its configuration again and again, and each time would be a round trip. */
  readonly texts: Map<string, Promise<string | undefined>>
}

function filesBelow(url: string, loading: Loading): ModelFiles {
  const { weights, options, texts } = loading
  const load = (name: string) => weights.load(`${url}/${name}`, options)
  return {
    location: url,
    name: url.split('/').at(-1)!,
    readText(name) {
      const file = `${url}/${name}`
      const text = texts.get(file) ?? loadText(file, options)
      texts.set(file, text)
      return text
    },
    async findWeights(name): Promise<WeightFile | undefined> {
      const inParts = options.inParts && (await findKept(`${url}/${name}`)) === undefined
      const part = inParts ? await openPart(url, name, () => load(name), options.signal) : undefined
      if (part !== undefined) return part
      const bytes = await load(name)
      return (
        bytes && {
          folder: url,
          name,
          size: bytes.length,
          read: async (start, length) => bytes.subarray(start, start + length),
        }
      )
    },
    within: (folder) => filesBelow(`${url}/${folder}`, loading),
  }
}

async function loadText(url: string, { signal, absent }: UrlOptions): Promise<string | undefined> {
  if (absent?.has(url)) return undefined
  const bytes = await download(url, signal && { signal })
  if (bytes === undefined) absent?.add(url)
  return bytes && new TextDecoder().decode(bytes)
}

/** A file of which parts are loaded as they are read, the whole one only where a part does not come. */
async function openPart(
  folder: string,
  name: string,
  load: () => Promise<Uint8Array | undefined>,
  signal?: AbortSignal,
): Promise<WeightFile | undefined> {
  const url = `${folder}/${name}`
  const prefix = await downloadPart(url, [0, PREFIX_BYTES], signal)
  if (prefix === undefined) return undefined
  async function read(start: number, length: number): Promise<Uint8Array> {
    if (start + length <= PREFIX_BYTES) return prefix!.bytes.subarray(start, start + length)
    const part = await downloadPart(url, [start, length], signal)
    return part?.bytes ?? (await load())?.subarray(start, start + length) ?? new Uint8Array()
  }
  return { folder, name, size: prefix.size, read }
}
