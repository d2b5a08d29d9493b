const NAME = 'tessera-key'

/** In memory where the browser keeps nothing for this page. */
let kept: string | undefined

/** The key of this tab. It is in no cookie, so that no other page can make the browser send it. */
export function getKey(): string | undefined {
  try {
    return sessionStorage.getItem(NAME) ?? kept
  } catch {
    return kept
  }
}

export function setKey(key: string | undefined): void {
  kept = key
  try {
    if (key === undefined) sessionStorage.removeItem(NAME)
    else sessionStorage.setItem(NAME, key)
  } catch {
    // It stays in memory, which a reload clears.
  }
}
