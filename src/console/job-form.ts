import { ApiError, type Progress } from './api.ts'
import { find, make } from './dom.ts'
import { formatDuration } from './format.ts'

/** Something that this page itself found wrong with a form. */
export class FormFault extends Error {
  /** Where in the body the fault is. */
  readonly loc: readonly string[]

  constructor(message: string, loc: readonly string[]) {
    super(message)
    this.loc = loc
  }
}

export interface Job<Answer> {
  /** Its panel, with one form and one place for results. */
  readonly panel: HTMLElement
  /** Label of the button. */
  readonly verb: string
  /** Shown until there is a result. */
  readonly empty: string
  /** The body of the request; throws FormFault where the form makes none. */
  read(): object | Promise<object>
  send(body: object, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<Answer>
  show(answer: Answer, milliseconds: number, body: object): readonly Node[]
  /** The field that a fault lies in; default by the first name of its path. */
  locate?(loc: readonly string[]): Element | null | undefined
}

export interface JobEvents {
  onAnswer(): void
  onUnauthorized(): void
}

const TICK_MS = 200

/** Makes a form send its job, one request at a time, and show what came of it. */
export function setUpJob<Answer>(job: Job<Answer>, { onAnswer, onUnauthorized }: JobEvents): void {
  const form = find<HTMLFormElement>(job.panel, 'form')
  const result = find(job.panel, '.result')
  const run = make('button', { type: 'submit', class: 'main' }, job.verb)
  const cancel = make('button', { type: 'button' }, 'Cancel')
  const bar = make('progress', { 'aria-label': 'Progress', max: '1' })
  const clock = make('span', { class: 'hint', 'aria-hidden': 'true' })
  const status = make('span', { class: 'visually-hidden', role: 'status' })
  const failure = make('div', { role: 'alert' })
  const output = make('div', {}, make('p', { class: 'empty' }, job.empty))
  cancel.hidden = true
  bar.hidden = true
  find(form, '.actions').append(run, cancel, bar, clock, status)
  result.append(failure, output)

  let running: AbortController | undefined
  cancel.addEventListener('click', () => running?.abort())
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (running === undefined) void send()
  })

  async function send(): Promise<void> {
    const controller = new AbortController()
    running = controller
    const started = performance.now()
    const tick = setInterval(() => (clock.textContent = formatDuration(performance.now() - started)), TICK_MS)
    show('Sending', true)
    clearFault(form)
    failure.replaceChildren()
    try {
      const body = await job.read()
      const answer = await job.send(body, controller.signal, ({ done, total }) => {
        bar.hidden = false
        bar.value = total > 0 ? done / total : 0
      })
      const milliseconds = performance.now() - started
      output.replaceChildren(...job.show(answer, milliseconds, body))
      show(`Answered in ${formatDuration(milliseconds)}`, false)
      onAnswer()
    } catch (error) {
      if (controller.signal.aborted) show('Cancelled', false)
      else fail(error)
    } finally {
      clearInterval(tick)
      running = undefined
    }
  }

  function show(said: string, busy: boolean): void {
    const focused = document.activeElement === cancel
    status.textContent = said
    clock.textContent = busy ? '' : said
    cancel.hidden = !busy
    bar.hidden = true
    run.setAttribute('aria-disabled', String(busy))
    output.classList.toggle('stale', busy)
    // What has the focus must not vanish with it.
    if (focused && !busy) run.focus()
  }

  function fail(error: unknown): void {
    show('', false)
    output.replaceChildren()
    if (error instanceof ApiError && error.status === 401) onUnauthorized()
    const loc = error instanceof ApiError || error instanceof FormFault ? error.loc : []
    failure.replaceChildren(...describeFailure(error))
    const [first] = loc
    if (first === undefined) return
    const field = job.locate?.(loc) ?? form.querySelector(`[data-loc~="${CSS.escape(first)}"]`)
    if (field) markFault(form, field, messageOf(error))
  }
}

function describeFailure(error: unknown): Node[] {
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

/** A form has one fault at most: a request fails with the first. */
function markFault(form: HTMLFormElement, field: Element, message: string): void {
  const id = `${form.parentElement!.id}-fault`
  field.classList.add('faulty')
  field.append(make('p', { id, class: 'wrong fault' }, message))
  for (const control of field.querySelectorAll('input:not([type="radio"]), textarea, select')) {
    control.setAttribute('aria-invalid', 'true')
    control.setAttribute('aria-describedby', [...describers(control), id].join(' '))
  }
  field.scrollIntoView({ block: 'nearest' })
}

function clearFault(form: HTMLFormElement): void {
  const fault = form.querySelector('.fault')
  if (fault === null) return
  fault.parentElement!.classList.remove('faulty')
  fault.remove()
  for (const control of form.querySelectorAll('[aria-invalid]')) {
    control.removeAttribute('aria-invalid')
    const others = describers(control).filter((id) => id !== fault.id)
    if (others.length > 0) control.setAttribute('aria-describedby', others.join(' '))
    else control.removeAttribute('aria-describedby')
  }
}

function describers(control: Element): string[] {
  return control.getAttribute('aria-describedby')?.split(' ') ?? []
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
