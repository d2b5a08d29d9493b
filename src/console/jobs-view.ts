import { isRefused } from './api.ts'
import { byId, make } from './dom.ts'
import { describeFailure, makePreview } from './job-display.ts'
import { createJobResults } from './job-result.ts'
import { JobRow } from './job-row.ts'
import { deleteJob, followJob, isOver, listJobs } from './jobs-api.ts'

interface JobsEvents {
  /** Takes a picture as the source of an edit. */
  edit(picture: File): void
  onUnauthorized(): void
}

/** How often the list is read again while one of its jobs is not over. */
const POLL_MS = 1000

/** What is said of a job that was to be cancelled. */
const STOPPED = {
  queued: 'The job is being cancelled',
  running: 'The job is being cancelled',
  cancelled: 'Cancelled',
  succeeded: 'The job was done before it could be cancelled',
  failed: 'The job failed before it could be cancelled',
} as const

/** The jobs of the account. One at a time is open, as a browser has few connections to a server. */
export class JobsView {
  readonly #events: JobsEvents
  readonly #result: ReturnType<typeof createJobResults>
  readonly #rows = new Map<string, JobRow>()
  readonly #problem = byId('jobs-error')
  #timer: ReturnType<typeof setTimeout> | undefined
  #following: AbortController | undefined
  #isShown = false

  constructor(events: JobsEvents) {
    this.#events = events
    this.#result = createJobResults(events.edit)
    byId('refresh-jobs').addEventListener('click', () => void this.#refresh())
  }

  /** Says whether the view can be seen: only then is anything asked for. */
  set isShown(shown: boolean) {
    this.#isShown = shown
    if (shown) void this.#refresh()
    else this.#close()
  }

  async #refresh(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#try(async () => this.#draw(await listJobs()))
    clearTimeout(this.#timer)
    const isWaiting = [...this.#rows.values()].some(({ job }) => !isOver(job))
    if (this.#isShown && isWaiting) this.#timer = setTimeout(() => void this.#refresh(), POLL_MS)
  }

  #draw(jobs: Awaited<ReturnType<typeof listJobs>>): void {
    const ids = new Set(jobs.map(({ id }) => id))
    for (const id of this.#rows.keys()) if (!ids.has(id)) this.#drop(id)
    const list = byId('job-list')
    // The newest job is the first of the answer, and is put before all others last.
    for (const job of jobs.toReversed()) {
      const row = this.#rows.get(job.id)
      if (row) row.update(job)
      else list.prepend(this.#add(job).element)
    }
    byId('no-jobs').hidden = jobs.length > 0
  }

  #add(job: JobRow['job']): JobRow {
    const row = new JobRow(job, {
      toggle: (each) => void (each.isOpen ? this.#close() : this.#open(each)),
      remove: (each) => void this.#remove(each),
    })
    this.#rows.set(job.id, row)
    return row
  }

  #drop(id: string): void {
    const row = this.#rows.get(id)!
    if (row.isOpen) this.#close()
    // What has the focus must not vanish with it.
    if (row.element.contains(document.activeElement)) byId('jobs-title').focus()
    row.element.remove()
    this.#rows.delete(id)
  }

  async #remove(row: JobRow): Promise<void> {
    const { id } = row.job
    await this.#try(async () => {
      const wasOver = isOver(row.job)
      const job = await deleteJob(id)
      byId('jobs-status').textContent = wasOver ? 'Removed' : STOPPED[job.status]
    })
    await this.#refresh()
  }

  async #open(row: JobRow): Promise<void> {
    this.#close()
    const controller = new AbortController()
    this.#following = controller
    row.isOpen = true
    row.output.replaceChildren(make('p', { class: 'hint' }, 'Nothing to see yet.'))
    try {
      const job = await followJob(row.job.id, controller.signal, {
        onChange: (change) => row.update(change),
        onPreview: (picture) => row.output.replaceChildren(makePreview(picture)),
      })
      const nodes = await this.#result(job)
      if (!controller.signal.aborted) row.output.replaceChildren(...nodes)
    } catch (error) {
      if (!controller.signal.aborted) row.output.replaceChildren(...describeFailure(error))
    }
  }

  #close(): void {
    this.#following?.abort()
    for (const row of this.#rows.values()) if (row.isOpen) row.isOpen = false
  }

  async #try(work: () => Promise<void>): Promise<void> {
    try {
      await work()
      this.#problem.hidden = true
    } catch (error) {
      if (isRefused(error)) {
        this.#events.onUnauthorized()
        return
      }
      this.#problem.hidden = false
      this.#problem.replaceChildren(...describeFailure(error))
    }
  }
}
