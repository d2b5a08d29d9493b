import { byId, find, make } from './dom.ts'
import type { FormQuestion } from './question-values.ts'

const MEANINGS: readonly (readonly [string, string])[] = [
  ['true', 'Yes means'],
  ['false', 'No means'],
]
const EMPTY = { name: '', text: '' }

type Type = FormQuestion['type']

/** The fields of one question. `onChange` is called when it is removed. */
export function makeQuestionFields(question: FormQuestion, onRemove: () => void): HTMLElement {
  const template = byId('question-template', HTMLTemplateElement)
  const fields = find(template.content.cloneNode(true) as DocumentFragment, 'fieldset')
  field(fields, 'name').value = question.name
  field(fields, 'instructions').value = question.instructions
  const type = find<HTMLSelectElement>(fields, '[data-field="type"]')
  type.value = question.type
  type.addEventListener('change', () => showEntries(fields, [EMPTY, EMPTY]))
  find(fields, '[data-action="remove-question"]').addEventListener('click', onRemove)
  find(fields, '[data-action="add-entry"]').addEventListener('click', () => {
    addEntry(fields, EMPTY)
    find(fields, '[data-entries] > :last-child input').focus()
  })
  showEntries(fields, question.entries)
  return fields
}

export function readQuestionFields(fields: HTMLElement): FormQuestion {
  return {
    name: field(fields, 'name').value.trim(),
    type: typeOf(fields),
    instructions: field(fields, 'instructions').value.trim(),
    entries: [...find(fields, '[data-entries]').children].map((row) => {
      const option = row.querySelector<HTMLInputElement>('[data-field="option"]')
      return {
        name: row.getAttribute('data-name') ?? option?.value.trim() ?? '',
        text: find<HTMLInputElement>(row, '[data-field="text"]').value.trim(),
      }
    }),
  }
}

function showEntries(fields: HTMLElement, entries: FormQuestion['entries']): void {
  const type = typeOf(fields)
  find(fields, '[data-entries]').replaceChildren()
  const add = find(fields, '[data-action="add-entry"]')
  add.hidden = type === 'noul'
  add.textContent = type === 'choice' ? 'Add an option' : 'Add a level'
  if (type !== 'noul') {
    for (const entry of entries) addEntry(fields, entry)
    return
  }
  for (const [name, label] of MEANINGS) {
    const input = make('input', { 'data-field': 'text', placeholder: 'Optional', autocomplete: 'off' })
    input.value = entries.find((entry) => entry.name === name)?.text ?? ''
    const row = make('label', { class: 'entry', 'data-name': name }, make('span', {}, label), input)
    find(fields, '[data-entries]').append(row)
  }
}

function addEntry(fields: HTMLElement, { name, text }: { readonly name: string; readonly text: string }): void {
  const choice = typeOf(fields) === 'choice'
  const option = make('input', {
    'data-field': 'option',
    placeholder: 'Option',
    autocomplete: 'off',
    spellcheck: 'false',
  })
  option.value = name
  const meaning = make('input', {
    'data-field': 'text',
    placeholder: choice ? 'Meaning (optional)' : 'Level',
    autocomplete: 'off',
  })
  meaning.value = text
  const remove = make('button', { type: 'button', class: 'quiet icon' }, '×')
  const row = make('div', { class: 'entry' }, ...(choice ? [option] : []), meaning, remove)
  remove.addEventListener('click', () => {
    const next = row.nextElementSibling ?? row.previousElementSibling
    row.remove()
    nameEntries(fields)
    const target = next?.querySelector<HTMLElement>('input') ?? find(fields, '[data-action="add-entry"]')
    target.focus()
  })
  find(fields, '[data-entries]').append(row)
  nameEntries(fields)
}

/** Says to a screen reader which option or level each field belongs to. */
function nameEntries(fields: HTMLElement): void {
  const what = typeOf(fields) === 'choice' ? 'option' : 'level'
  for (const [index, row] of [...find(fields, '[data-entries]').children].entries()) {
    const number = `${what} ${index + 1}`
    row.querySelector('[data-field="option"]')?.setAttribute('aria-label', `Name of ${number}`)
    const text = what === 'option' ? 'Meaning' : 'Description'
    find(row, '[data-field="text"]').setAttribute('aria-label', `${text} of ${number}`)
    find(row, 'button').setAttribute('aria-label', `Remove ${number}`)
  }
}

function field(fields: HTMLElement, name: string): HTMLInputElement {
  return find<HTMLInputElement>(fields, `[data-field="${name}"]`)
}

function typeOf(fields: HTMLElement): Type {
  return find<HTMLSelectElement>(fields, '[data-field="type"]').value as Type
}
