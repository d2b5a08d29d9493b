import { ApiError, type Watcher } from './api.ts'
import { JobDisplay } from './job-display.ts'

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
  show(answer: Answer, milliseconds: number, body: object): readonly Node[]
  /** The field that a fault lies in; default by the first name of its path. */
  readonly locate?: (loc: readonly string[]) => Element | null | undefined
}

export interface JobEvents {
  onAnswer(): void
  onUnauthorized(): void
}

const TICK_MS = 200

/** Makes a form send its job, one request at a time, and show what came of it. */
export function setUpJob<Answer>(job: Job<Answer>, { onAnswer, onUnauthorized }: JobEvents): void {
  const display = new JobDisplay(job)
  let running: AbortController | undefined
  display.cancel.addEventListener('click', () => running?.abort())
  display.form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (running === undefined) void send()
  })

  async function send(): Promise<void> {
    const controller = new AbortController()
    running = controller
    const started = performance.now()
    const tick = setInterval(() => display.ticked(performance.now() - started), TICK_MS)
    display.started()
    try {
      const body = await job.read()
      const answer = await job.send(body, controller.signal, {
        onProgress: ({ done, total }) => display.progressed(done, total),
        onPreview: (picture) => display.previewed(picture),
      })
      const milliseconds = performance.now() - started
      display.answered(job.show(answer, milliseconds, body), milliseconds)
      onAnswer()
    } catch (error) {
      if (controller.signal.aborted) display.cancelled()
      else {
        display.failed(error, job.locate)
        if (error instanceof ApiError && error.status === 401) onUnauthorized()
      }
    } finally {
      clearInterval(tick)
      running = undefined
    }
  }
}
