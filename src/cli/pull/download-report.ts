import colors from 'picocolors'
import { formatBytes } from '../../models/format-bytes.ts'
import type { PullProgress } from '../../models/pull/fetch-files.ts'
import { formatTime, inOneLine, type ReportStream } from '../report-stream.ts'

/** The rate is that of the last seconds, so that a pause shows. */
const WINDOW_MS = 10_000
const TERMINAL_EVERY_MS = 200
/** Logs of builds and containers get a line now and then. */
const LOG_EVERY_MS = 10_000

/** Says how far a download is, how fast it goes and what is left: a line that is overwritten, or lines in a log. */
export class DownloadReport {
  readonly #stream: ReportStream
  readonly #now: () => number
  #samples: { readonly at: number; readonly done: number }[] = []
  #shownAt = -Infinity

  constructor(stream: ReportStream, now: () => number = Date.now) {
    this.#stream = stream
    this.#now = now
  }

  show(progress: PullProgress): void {
    const at = this.#now()
    this.#samples = [...this.#samples.filter((sample) => at - sample.at < WINDOW_MS), { at, done: progress.done }]
    const isDone = progress.done === progress.total
    if (!isDone && at - this.#shownAt < (this.#stream.isTTY ? TERMINAL_EVERY_MS : LOG_EVERY_MS)) return
    this.#shownAt = at
    if (!this.#stream.isTTY) this.#stream.write(`${this.#describe(progress)}\n`)
    else
      this.#stream.write(
        isDone ? '\r\x1b[K' : `\r\x1b[K${colors.dim(inOneLine(this.#describe(progress), this.#stream))}`,
      )
  }

  /** A line of its own that stays. */
  say(text: string): void {
    this.#stream.write(this.#stream.isTTY ? `\r\x1b[K${text}\n` : `${text}\n`)
  }

  #describe({ file, done, total }: PullProgress): string {
    const [first, last] = [this.#samples[0]!, this.#samples.at(-1)!]
    const seconds = (last.at - first.at) / 1000
    const rate = seconds > 0 ? (last.done - first.done) / seconds : 0
    const speed = rate > 0 && done < total ? `, ${formatBytes(rate)}/s, ${formatTime((total - done) / rate)} left` : ''
    return `${file}: ${formatBytes(done)} of ${formatBytes(total)}${speed}`
  }
}
