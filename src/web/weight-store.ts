import { SharedWork } from '../engine/worker/shared-work.ts'
import { DownloadFailedError } from '../errors/index.ts'
import { download, type DownloadOptions } from './download.ts'

const NEVER = new AbortController().signal

interface SharedDownload {
  readonly work: SharedWork<Uint8Array | undefined>
  /** Bytes that have arrived, for who joins later. */
  arrived: number
  readonly listeners: Set<(length: number) => void>
  /** Who was told of what had arrived: one that asks for a file again is not told twice. */
  readonly told: WeakSet<(length: number) => void>
}

/**
 * The weight files of the model that is being opened: graphs are built from their headers, and sessions take their
 * bytes from here. Nothing but their fingerprints is kept once a model is open; sessions that it opens later, as decoding in
 * bands does, have the files loaded anew, which are in Cache Storage by then.
 */
export class WeightStore {
  readonly #files = new Map<string, SharedDownload>()
  readonly #prints = new Map<string, string>()
  /** By folder, how many are opening it. */
  readonly #holders = new Map<string, number>()

  /**
   * Undefined where there is no such file. A download that others wait for too goes on when this signal fires.
   *
   * @throws DownloadFailedError, AbortedError
   */
  async load(url: string, { signal = NEVER, onBytes }: DownloadOptions = {}): Promise<Uint8Array | undefined> {
    const known = this.#files.get(url)
    const file = known === undefined || known.work.isStopping ? this.#start(url) : known
    if (onBytes) {
      if (!file.told.has(onBytes)) onBytes(file.arrived)
      file.told.add(onBytes)
      file.listeners.add(onBytes)
    }
    try {
      return await file.work.wait(signal)
    } finally {
      if (onBytes) file.listeners.delete(onBytes)
    }
  }

  #start(url: string): SharedDownload {
    const listeners: SharedDownload['listeners'] = new Set()
    const onBytes = (length: number) => {
      file.arrived += length
      for (const listener of listeners) listener(length)
    }
    const work = new SharedWork(async (signal) => {
      try {
        const bytes = await download(url, { signal, onBytes })
        if (bytes !== undefined) this.#prints.set(url, fingerprint(bytes))
        return bytes
      } catch (error) {
        // The next to ask tries again.
        if (this.#files.get(url) === file) this.#files.delete(url)
        throw error
      }
    })
    const file: SharedDownload = { work, arrived: 0, listeners, told: new WeakSet() }
    this.#files.set(url, file)
    return file
  }

  /** A file that was loaded before. */
  async read(folder: string, file: string): Promise<Uint8Array> {
    const url = `${folder}/${file}`
    const print = this.#prints.get(url)
    if (print === undefined) throw new DownloadFailedError(url, 'it was not loaded before it was needed')
    const bytes = await (this.#files.get(url)?.work.wait(NEVER) ?? download(url))
    if (bytes !== undefined && fingerprint(bytes) === print) return bytes
    // Graphs that were built from its header would read their weights from the wrong places, or mix two models.
    throw new DownloadFailedError(url, 'it has changed on its server since the model was opened')
  }

  /** Keeps the files below a URL until all who hold them have released them: a model may be opened beside itself, for its tokens alone. */
  hold(folder: string): void {
    this.#holders.set(folder, (this.#holders.get(folder) ?? 0) + 1)
  }

  /** Lets go of the files below a URL, unless someone else holds them. */
  release(folder: string): void {
    const others = (this.#holders.get(folder) ?? 1) - 1
    if (others > 0) return void this.#holders.set(folder, others)
    this.#holders.delete(folder)
    for (const url of this.#files.keys()) if (url.startsWith(`${folder}/`)) this.#files.delete(url)
  }
}

/** Size, and bytes here and there: of models with the same tensors hardly any are equal. Hashing all of them would take seconds. */
function fingerprint(bytes: Uint8Array): string {
  const step = Math.max(1, Math.floor(bytes.length / 4096))
  let hash = 0
  for (let at = bytes.length - 1; at >= 0; at -= step) hash = (Math.imul(hash, 31) + bytes[at]!) | 0
  return `${bytes.length} ${hash}`
}
