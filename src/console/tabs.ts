import { byId } from './dom.ts'

/** Tabs as people know them: the arrow keys move between them, Tab goes on into the panel. */
export function setUpTabs(list: HTMLElement): void {
  const tabs = [...list.querySelectorAll<HTMLButtonElement>('[role="tab"]')]
  const select = (tab: HTMLButtonElement) => {
    for (const each of tabs) {
      each.setAttribute('aria-selected', String(each === tab))
      each.tabIndex = each === tab ? 0 : -1
      byId(each.getAttribute('aria-controls')!).hidden = each !== tab
    }
  }
  for (const [index, tab] of tabs.entries()) {
    tab.addEventListener('click', () => select(tab))
    tab.addEventListener('keydown', ({ key }) => {
      const to: Readonly<Record<string, number>> = { ArrowLeft: index - 1, ArrowRight: index + 1, Home: 0, End: -1 }
      const next = to[key] === undefined ? undefined : tabs.at(to[key] % tabs.length)
      if (next === undefined) return
      select(next)
      next.focus()
    })
  }
}
