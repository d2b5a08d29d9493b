import { ApiError } from './api.ts'
import { find, make } from './dom.ts'
import { clearFault, FormFault, markFault } from './form-fault.ts'
import { formatDuration } from './format.ts'

interface DisplayOptions {
  /** Its panel, with one form and one place for results. */
  readonly panel: HTMLElement
  /** Label of the button. */
  readonly verb: string
  /** Shown until there is a result. */
  readonly empty: string
}

/** The buttons, the progress and the place for results of one form. */
export class JobDisplay {
  readonly form: HTMLFormElement
  readonly cancel = make('button', { type: 'button' }, 'Cancel')
  readonly #run: HTMLButtonElement
  readonly #bar = make('progress', { 'aria-label': 'Progress', max: '1' })
  readonly #clock = make('span', { class: 'hint', 'aria-hidden': 'true' })
  readonly #status = make('span', { class: 'visually-hidden', role: 'status' })
  readonly #failure = make('div', { role: 'alert' })
  readonly #output: HTMLElement
  #place: number | undefined

  constructor({ panel, verb, empty }: DisplayOptions) {
    this.form = find<HTMLFormElement>(panel, 'form')
    this.#run = make('button', { type: 'submit', class: 'main' }, verb)
    this.#output = make('div', {}, make('p', { class: 'empty' }, empty))
    this.cancel.hidden = true
    this.#bar.hidden = true
    find(this.form, '.actions').append(this.#run, this.cancel, this.#bar, this.#clock, this.#status)
    find(panel, '.result').append(this.#failure, this.#output)
  }

  started(): void {
    this.#say('Sending', true)
    clearFault(this.form)
    this.#failure.replaceChildren()
  }

  ticked(milliseconds: number): void {
    const waiting = this.#place === undefined ? '' : `place ${this.#place} in the queue · `
    this.#clock.textContent = waiting + formatDuration(milliseconds)
  }

  /** Says how many are served before it, and itself. */
  queued(place: number): void {
    if (place === this.#place) return
    this.#place = place
    this.#clock.textContent = `place ${place} in the queue`
    this.#status.textContent = `Waiting, place ${place} in the queue`
  }

  progressed(done: number, total: number): void {
    this.#place = undefined
    this.#bar.hidden = false
    this.#bar.value = total > 0 ? done / total : 0
  }

  /** Shows what a picture will be in place of the last result. */
  previewed(base64: string): void {
    this.#output.classList.remove('stale')
    this.#output.replaceChildren(makePreview(base64))
  }

  /** @param milliseconds undefined where nobody here has seen it begin */
  answered(nodes: readonly Node[], milliseconds?: number): void {
    this.#output.replaceChildren(...nodes)
    // On a phone it lies below the form, of which the end may be in sight.
    if (this.#output.getBoundingClientRect().top > window.innerHeight / 2) this.#output.scrollIntoView()
    this.#say(milliseconds === undefined ? 'Answered' : `Answered in ${formatDuration(milliseconds)}`, false)
  }

  /** As before it started; a preview is no result. */
  reset(said = ''): void {
    this.#say(said, false)
    if (this.#output.querySelector('.preview')) this.#output.replaceChildren()
  }

  cancelled(): void {
    this.reset('Cancelled')
  }

  /** `locate` finds the field that a fault lies in; where it finds none, the first name of the path does. */
  failed(error: unknown, locate?: (loc: readonly string[]) => Element | null | undefined): void {
    this.#say('', false)
    this.#output.replaceChildren()
    this.#failure.replaceChildren(...describeFailure(error))
    const loc = error instanceof ApiError || error instanceof FormFault ? error.loc : []
    const [first] = loc
    if (first === undefined) return
    const field = locate?.(loc) ?? this.form.querySelector(`[data-loc~="${CSS.escape(first)}"]`)
    if (field) markFault(this.form, field, messageOf(error))
  }

  #say(said: string, busy: boolean): void {
    const focused = document.activeElement === this.cancel
    this.#place = undefined
    this.#status.textContent = said
    this.#clock.textContent = busy ? '' : said
    this.cancel.hidden = !busy
    this.#bar.hidden = true
    this.#run.setAttribute('aria-disabled', String(busy))
    this.#output.classList.toggle('stale', busy)
    // What has the focus must not vanish with it.
    if (focused && !busy) this.#run.focus()
  }
}

/** What a picture will be, as far as its steps show it. */
export function makePreview(base64: string): HTMLElement {
  const src = `data:image/png;base64,${base64}`
  const image = make('img', { src, alt: 'What the picture will be', class: 'preview' })
  return make('div', { class: 'pictures' }, make('figure', {}, image))
}

/** A notice that says why there is no answer. */
export function describeFailure(error: unknown): Node[] {
  const { status = 0, errorType = undefined, retryAfterMs = undefined } = error instanceof ApiError ? error : {}
  const facts = [
    ...(status >= 400 ? [`Status ${status}`] : []),
    ...(errorType === undefined ? [] : [errorType]),
    ...(retryAfterMs === undefined ? [] : [`try again in ${formatDuration(retryAfterMs)}`]),
  ]
  return [
    make(
      'div',
      { class: 'notice' },
      make('strong', {}, error instanceof FormFault ? 'Not sent' : 'No answer'),
      make('p', {}, messageOf(error)),
      ...(facts.length > 0 ? [make('p', { class: 'hint' }, facts.join(' · '))] : []),
    ),
  ]
}

/** What there is to say of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
