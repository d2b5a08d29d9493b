import { DownloadFailedError } from '../errors/index.ts'
import { download, type DownloadOptions } from './download.ts'

/**
 * The weight files of the model that is being opened: graphs are built from their headers, and sessions take their
 * bytes from here. Nothing but their sizes is kept once a model is open; sessions that it opens later, as decoding in
 * bands does, have the files loaded anew, which are in Cache Storage by then.
 */
export class WeightStore {
  readonly #files = new Map<string, Promise<Uint8Array | undefined>>()
  readonly #sizes = new Map<string, number>()

  /** Undefined where there is no such file. */
  async load(url: string, options: DownloadOptions = {}): Promise<Uint8Array | undefined> {
    // Others would wait for what will not come.
    options.signal?.throwIfAborted()
    const loading = this.#files.get(url) ?? download(url, options)
    this.#files.set(url, loading)
    try {
      const bytes = await loading
      if (bytes !== undefined) this.#sizes.set(url, bytes.length)
      return bytes
    } catch (error) {
      // The next to ask tries again.
      if (this.#files.get(url) === loading) this.#files.delete(url)
      throw error
    }
  }

  /** A file that was loaded before. */
  async read(folder: string, file: string): Promise<Uint8Array> {
    const url = `${folder}/${file}`
    const size = this.#sizes.get(url)
    if (size === undefined) throw new DownloadFailedError(url, 'it was not loaded before it was needed')
    const bytes = await (this.#files.get(url) ?? download(url))
    if (bytes?.length === size) return bytes
    // Graphs that were built from its header would read their weights from the wrong places.
    throw new DownloadFailedError(url, 'it has changed on its server since the model was opened')
  }

  /** Lets go of the files below a URL. */
  release(folder: string): void {
    for (const url of this.#files.keys()) if (url.startsWith(`${folder}/`)) this.#files.delete(url)
  }
}
