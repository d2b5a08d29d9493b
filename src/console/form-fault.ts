import { make } from './dom.ts'

/** Something that this page itself found wrong with a form. */
export class FormFault extends Error {
  /** The place of the fault in the body. */
  readonly loc: readonly string[]

  constructor(message: string, loc: readonly string[]) {
    super(message)
    this.loc = loc
  }
}

/** A form has one fault at most: a request fails with the first. */
export function markFault(form: HTMLFormElement, field: Element, message: string): void {
  const id = `${form.parentElement!.id}-fault`
  field.classList.add('faulty')
  field.append(make('p', { id, class: 'wrong fault' }, message))
  for (const control of field.querySelectorAll('input:not([type="radio"]), textarea, select')) {
    control.setAttribute('aria-invalid', 'true')
    control.setAttribute('aria-describedby', [...describers(control), id].join(' '))
  }
  field.scrollIntoView({ block: 'nearest' })
}

export function clearFault(form: HTMLFormElement): void {
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
