import { write } from 'node:fs'

/** Of lines that wait for a slow reader. */
const MOST_WAITING = 2 ** 20
/** For the last lines, whose reader may have stopped reading. */
const FLUSH_MS = 1000

/** Writes lines, and does not wait for their reader. */
export class LineWriter {
  readonly #write: (text: string) => Promise<void>
  #waiting: string[] = []
  #length = 0
  #dropped = 0
  #writing: Promise<void> | undefined

  /** @param put Resolves when a text is out, and rejects when its reader has gone. */
  constructor(put: (text: string) => Promise<void> = writeStdout) {
    this.#write = put
  }

  /** Takes a line. Where a megabyte waits already the line is dropped, and a later one says how many were. */
  add(line: string): void {
    if (this.#length + line.length > MOST_WAITING) {
      this.#dropped++
      return
    }
    this.#waiting.push(`${line}\n`)
    this.#length += line.length
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined))
  }

  /** Resolves when all is out, or `milliseconds` have passed. */
  async close(milliseconds = FLUSH_MS): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)))
    await Promise.race([this.#writing, late])
    clearTimeout(timer)
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const text = this.#waiting.join('')
      this.#waiting = []
      // A reader that has gone does not come back, and is not the service's business.
      await this.#write(text).catch(() => {})
      this.#length = this.#waiting.reduce((sum, line) => sum + line.length, 0)
      if (this.#dropped > 0) this.#waiting.push(`${JSON.stringify({ dropped_lines: this.#dropped })}\n`)
      this.#dropped = 0
    }
  }
}

const STDOUT = 1
const RETRY_MS = 10

/**
 * Not by `process.stdout`, which holds up the whole process while the reader of a pipe is busy; but where somebody has taken that over, as
 * pm2 does in cluster mode, whose own log is behind the descriptor. Such writers need not say when they are done.
 */
async function writeStdout(text: string): Promise<void> {
  const { stdout } = process
  if (Object.hasOwn(stdout, 'write')) return void stdout.write(text)
  let bytes = Buffer.from(text)
  while (bytes.length > 0) {
    const written = await new Promise<number>((resolve, reject) => {
      write(STDOUT, bytes, (error, count) => {
        if (!error) resolve(count)
        // A reader that has stopped reading keeps no process from ending.
        else if (error.code === 'EAGAIN') setTimeout(() => resolve(0), RETRY_MS).unref()
        else reject(error)
      })
    })
    bytes = bytes.subarray(written)
  }
}
