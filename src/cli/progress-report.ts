import colors from 'picocolors'
import { formatBytes } from '../models/format-bytes.ts'
import { formatTime, inOneLine, type ReportStream } from './report-stream.ts'

const WIDTH = 24
/** Logs get a line now and then, and short work leaves none. */
const LOG_EVERY_MS = 5000
/** Work that takes less than this shows nothing to whoever watches. */
const MOMENT_MS = 300
/** Stages whose numbers are bytes. */
const IN_BYTES = new Set(['loading', 'downloading', 'quantising'])

/** How far some work is: `done` of `total` in its stage. */
interface Progress {
  readonly stage: string
  readonly done: number
  readonly total: number
}

/**
 * Says on stderr how far the work is and how long its stage will take: a line that is overwritten and wiped where somebody
 * watches, else lines in a log.
 */
export class ProgressReport {
  readonly #stream: ReportStream
  readonly #now: () => number
  #stage = ''
  /** When the stage began, and how far it was then. */
  #began = { at: 0, done: 0 }
  readonly #startedAt: number
  #shownAt: number

  constructor(stream: ReportStream = process.stderr, now: () => number = Date.now) {
    this.#stream = stream
    this.#now = now
    this.#startedAt = now()
    this.#shownAt = this.#startedAt
  }

  show(progress: Progress): void {
    const { stage, done, total } = progress
    const at = this.#now()
    if (stage !== this.#stage) {
      this.#stage = stage
      this.#began = { at, done }
    }
    if (this.#stream.isTTY) {
      if (at - this.#startedAt < MOMENT_MS) return
      const line = inOneLine(this.#describe(progress, at), this.#stream)
      this.#stream.write(done === total ? '\r\x1b[K' : `\r\x1b[K${colors.dim(line)}`)
    } else if (at - this.#shownAt >= LOG_EVERY_MS) {
      this.#shownAt = at
      this.#stream.write(`${this.#describe(progress, at)}\n`)
    }
  }

  #describe({ stage, done, total }: Progress, at: number): string {
    const filled = Math.floor((done / total) * WIDTH)
    const bar = this.#stream.isTTY ? `${'█'.repeat(filled)}${'░'.repeat(WIDTH - filled)} ` : ''
    const amount = IN_BYTES.has(stage) ? formatBytes : String
    const since = done - this.#began.done
    const seconds = since > 0 && done < total ? (((at - this.#began.at) / since) * (total - done)) / 1000 : 0
    return `${bar}${stage} ${amount(done)} of ${amount(total)}${seconds > 0 ? `, ${formatTime(seconds)} left` : ''}`
  }
}
