import { make } from './dom.ts'
import { formatTime, formatUnits } from './format.ts'
import { isOver, type Job } from './jobs-api.ts'

/** What its buttons do. */
export interface JobActions {
  /** Shows what there is of the job in a place of its row, or takes it away. */
  toggle(row: JobRow): void
  /** Cancels the job, or removes one that is over. */
  remove(row: JobRow): void
}

const MEANING = { queued: '', running: '', succeeded: 'good', failed: 'bad', cancelled: '' } as const

/** A job in the list. It is changed in place, so that the focus stays where it is. */
export class JobRow {
  readonly element = make('li', { class: 'card' })
  readonly output = make('div', { class: 'output' })
  job: Job
  readonly #status = make('span')
  readonly #facts = make('span', { class: 'hint' })
  readonly #bar = make('progress', { max: '1' })
  readonly #show = make('button', { type: 'button', 'aria-expanded': 'false' })
  readonly #remove = make('button', { type: 'button', class: 'quiet' })

  constructor(job: Job, actions: JobActions) {
    this.job = job
    this.#bar.setAttribute('aria-label', `Progress of ${job.id}`)
    this.#show.addEventListener('click', () => actions.toggle(this))
    this.#remove.addEventListener('click', () => actions.remove(this))
    const created = new Date(job.created_at * 1000).toISOString()
    this.element.append(
      make(
        'p',
        { class: 'facts' },
        this.#status,
        make('code', {}, job.path),
        make('time', { datetime: created }, formatTime(created)),
      ),
      make('div', { class: 'actions' }, this.#bar, this.#facts, this.#show, this.#remove),
      this.output,
    )
    this.update(job)
  }

  update(job: Job): void {
    this.job = job
    const { id, status, progress } = job
    this.#status.textContent = status
    this.#status.className = `status ${MEANING[status]}`
    this.#facts.textContent = describe(job)
    this.#bar.hidden = progress === undefined
    this.#bar.value = progress && progress.total > 0 ? progress.done / progress.total : 0
    label(this.#show, isOver(job) ? 'Result' : 'Preview', id)
    label(this.#remove, isOver(job) ? 'Remove' : 'Cancel', id)
    // Of a batch there is nothing to see before its end, and of a job that was cancelled only what a batch has answered.
    this.#show.hidden = isBatch(job)
      ? !isOver(job) || (status === 'cancelled' && !hasResults(job))
      : status === 'cancelled'
  }

  set isOpen(open: boolean) {
    this.#show.setAttribute('aria-expanded', String(open))
    if (!open) this.output.replaceChildren()
  }

  get isOpen(): boolean {
    return this.#show.getAttribute('aria-expanded') === 'true'
  }
}

function isBatch({ path }: Job): boolean {
  return path === '/v1/batches'
}

/** Whether it is a batch that is over and has results of lines, all or some. */
export function hasResults(job: Job): boolean {
  return isBatch(job) && isOver(job) && job.counts !== undefined && job.counts.succeeded + job.counts.failed > 0
}

function describe({ place, progress, counts, expires_at: expires }: Job): string {
  return [
    ...(place === undefined ? [] : [`place ${place} in the queue`]),
    ...(progress ? [`${progress.stage}, ${progress.done} of ${progress.total}`] : []),
    ...(counts
      ? [`${counts.succeeded} of ${formatUnits(counts.total, 'line')} answered, ${counts.failed} failed`]
      : []),
    ...(expires === undefined ? [] : [`kept until ${formatTime(new Date(expires * 1000).toISOString())}`]),
  ].join(' · ')
}

/** Buttons of the same word are told apart by the name of their job. */
function label(button: HTMLElement, word: string, id: string): void {
  if (button.firstChild?.textContent === word) return
  button.replaceChildren(word, make('span', { class: 'visually-hidden' }, ` ${id}`))
}
