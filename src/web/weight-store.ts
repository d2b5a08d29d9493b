import { DownloadFailedError } from '../errors/index.ts'
import { download } from './download.ts'

/**
 * The weight files of the model that is being opened: graphs are built from their headers, and sessions take their
 * bytes from here. Nothing is kept once a model is open.
 */
export class WeightStore {
  readonly #files = new Map<string, Promise<Uint8Array | undefined>>()

  /** Undefined where there is no such file. */
  load(url: string, onBytes: (length: number) => void): Promise<Uint8Array | undefined> {
    const loading = this.#files.get(url) ?? download(url, onBytes)
    this.#files.set(url, loading)
    return loading
  }

  /** A file that was loaded before. */
  async read(folder: string, file: string): Promise<Uint8Array> {
    const url = `${folder}/${file}`
    const bytes = await this.#files.get(url)
    if (bytes === undefined) throw new DownloadFailedError(url, 'it was not loaded before it was needed')
    return bytes
  }

  /** Lets go of the files below a URL. */
  release(folder: string): void {
    for (const url of this.#files.keys()) if (url.startsWith(`${folder}/`)) this.#files.delete(url)
  }
}
