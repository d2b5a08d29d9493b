type Child = Node | string

/** The element of page.html with an id; it fails at once where the page and its script disagree. */
export function byId<T extends HTMLElement = HTMLElement>(id: string, type?: new () => T): T {
  const element = document.getElementById(id)
  if (element === null || (type !== undefined && !(element instanceof type))) throw new Error(`the page has no #${id}`)
  return element as T
}

/** The first match below an element, which must be there. */
export function find<T extends Element = HTMLElement>(parent: ParentNode, selector: string): T {
  const element = parent.querySelector<T>(selector)
  if (element === null) throw new Error(`the page has no ${selector}`)
  return element
}

/** A new element. Text is always text: nothing here parses HTML. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value)
  element.append(...children)
  return element
}

export function makeSvg(
  tag: string,
  attributes: Readonly<Record<string, string | number>>,
  ...children: readonly Child[]
): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag)
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value))
  element.append(...children)
  return element
}

/** Value of the chosen radio button of a group. */
export function chosen(parent: ParentNode, name: string): string {
  return find<HTMLInputElement>(parent, `input[name="${name}"]:checked`).value
}

/** What a field says as a member of a body; none where it is empty. Text that is no number goes out as it is: the server says what it wants. */
export function readNumber(name: string, id: string): object {
  const text = byId(id, HTMLInputElement).value.trim()
  return text === '' ? {} : { [name]: Number.isNaN(Number(text)) ? text : Number(text) }
}
