import { isRefused } from './api.ts'
import { JobDisplay } from './job-display.ts'
import type { Watcher } from './picture-jobs.ts'

export interface Job<Answer> {
  /** Its panel, with one form and one place for results. */
  readonly panel: HTMLElement
  /** Label of the button. */
  readonly verb: string
  /** Shown until there is a result. */
  readonly empty: string
  /** The body of the request; throws FormFault where the form makes none. */
  read(): object | Promise<object>
  send(body: object, signal: AbortSignal, watcher: Watcher): Promise<Answer>
  /** Goes on with what was sent before the page was loaded again; undefined where there is nothing. */
  readonly resume?: (signal: AbortSignal, watcher: Watcher) => Promise<Answer | undefined>
  /** The body is undefined where another load of the page sent it. */
  show(answer: Answer, milliseconds: number, body: object | undefined): readonly Node[]
  /** The field that a fault lies in; default by the first name of its path. */
  readonly locate?: (loc: readonly string[]) => Element | null | undefined
}

export interface JobEvents {
  onAnswer(): void
  onUnauthorized(): void
}

const TICK_MS = 200

/**
 * Makes a form send its job, one request at a time, and show what came of it.
 *
 * @returns what goes on with the job of an earlier load of the page
 */
export function setUpJob<Answer>(job: Job<Answer>, events: JobEvents): () => Promise<void> {
  const display = new JobDisplay(job)
  const watcher: Watcher = {
    onPlace: (place) => display.queued(place),
    onProgress: ({ done, total }) => display.progressed(done, total),
    onPreview: (picture) => display.previewed(picture),
  }

  async function send(signal: AbortSignal): Promise<void> {
    const started = performance.now()
    const tick = setInterval(() => display.ticked(performance.now() - started), TICK_MS)
    try {
      const body = await job.read()
      const answer = await job.send(body, signal, watcher)
      const milliseconds = performance.now() - started
      display.answered(job.show(answer, milliseconds, body), milliseconds)
      events.onAnswer()
    } finally {
      clearInterval(tick)
    }
  }

  async function resume(signal: AbortSignal): Promise<void> {
    const answer = await job.resume?.(signal, watcher)
    if (answer === undefined) display.reset()
    else display.answered(job.show(answer, 0, undefined))
  }

  const run = createRun(display, job, events)
  display.form.addEventListener('submit', (event) => {
    event.preventDefault()
    void run(send)
  })
  return () => run(resume)
}

/** Runs one piece of work at a time, which the button cancels, and shows why it ended where it has no answer. */
function createRun(display: JobDisplay, { locate }: Pick<Job<unknown>, 'locate'>, { onUnauthorized }: JobEvents) {
  let running: AbortController | undefined
  display.cancel.addEventListener('click', () => running?.abort())
  return async (work: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    if (running !== undefined) return
    running = new AbortController()
    display.started()
    try {
      await work(running.signal)
    } catch (error) {
      if (error instanceof DOMException && error.name === 'AbortError') display.cancelled()
      else {
        display.failed(error, locate)
        if (isRefused(error)) onUnauthorized()
      }
    } finally {
      running = undefined
    }
  }
}
