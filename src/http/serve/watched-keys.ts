import { watch } from 'node:fs'
import { dirname } from 'node:path'
import { InvalidRequestError } from '../../errors/index.ts'
import { digest } from '../digest.ts'
import type { ApiKey, KeyStore } from '../keys/key-store.ts'
import type { Payer } from '../usage/ledger.ts'
import { parseKeyFile, readKeyText } from './key-file.ts'

/** Files that others mount, over a network for one, change without an event. */
const POLL_MS = 2000

/** Whoever writes a file causes several events. */
const DEBOUNCE_MS = 100

/** Told of every change: `problem` where the file cannot be used, so that the keys stay what they were. */
export type ReportKeys = (problem: string | undefined) => void

/**
 * The keys of a file, as it now is. It is read again when it changes, however it is replaced, and when `reload` is
 * called. While it cannot be used the keys are the last that could.
 */
export class WatchedKeys implements KeyStore {
  readonly #file: string
  readonly #isLocal: boolean
  readonly #stop = new AbortController()
  #keys: KeyStore
  /** Of what was read last: the text itself may have keys in it. */
  #digest: string
  #problem: string | undefined
  #report: ReportKeys = () => {}
  #reading: Promise<void> = Promise.resolve()

  private constructor(file: string, isLocal: boolean, text: string) {
    this.#file = file
    this.#isLocal = isLocal
    this.#keys = parseKeyFile(file, text, isLocal)
    this.#digest = digest(text)
  }

  /**
   * @param isLocal Whether no other machine can connect.
   * @returns undefined where there is no such file
   * @throws InvalidRequestError for a file that cannot be used
   */
  static async open(file: string, isLocal: boolean): Promise<WatchedKeys | undefined> {
    const text = await readKeyText(file)
    return text === undefined ? undefined : new WatchedKeys(file, isLocal, text)
  }

  get isStale(): boolean {
    return this.#problem !== undefined
  }

  find(key: string): ApiKey | undefined | Promise<ApiKey | undefined> {
    return this.#keys.find(key)
  }

  accounts(): readonly Payer[] {
    return this.#keys.accounts?.() ?? []
  }

  /** Begins to follow the file; keeps no process running. */
  watch(report: ReportKeys): void {
    this.#report = report
    const { signal } = this.#stop
    let timer: NodeJS.Timeout | undefined
    const soon = () => {
      clearTimeout(timer)
      if (!signal.aborted) timer = setTimeout(() => void this.reload(), DEBOUNCE_MS).unref()
    }
    const poll = setInterval(() => void this.reload(), POLL_MS).unref()
    signal.addEventListener('abort', () => {
      clearInterval(poll)
      clearTimeout(timer)
    })
    try {
      // The folder is watched, as the file may be replaced by another, or by what a link points to.
      watch(dirname(this.#file), { persistent: false, signal }, soon).on('error', () => {})
    } catch {
      // Where the system gives no events, looking every two seconds is what is left.
    }
  }

  /** Reads the file again. */
  reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read())
    return this.#reading
  }

  close(): void {
    this.#stop.abort()
  }

  async #read(): Promise<void> {
    const before = this.#problem
    try {
      const text = await readKeyText(this.#file)
      if (text === undefined) throw new InvalidRequestError('keys-file', `there is no file ${this.#file}`)
      const latest = digest(text)
      if (latest === this.#digest && before === undefined) return
      this.#keys = parseKeyFile(this.#file, text, this.#isLocal)
      this.#digest = latest
      this.#problem = undefined
      this.#report(undefined)
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error)
      if (this.#problem !== before) this.#report(this.#problem)
    }
  }
}
