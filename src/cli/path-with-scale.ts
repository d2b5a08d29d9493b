/** What stands before and after the last colon, where a number follows it; after a drive stands none. */
export function readPathWithScale(text: string): { readonly path: string; readonly scale?: number } {
  const [, path, scale] = /^(.+):(-?(?:\d+\.?\d*|\.\d+))$/.exec(text) ?? []
  return path === undefined ? { path: text } : { path, scale: Number(scale) }
}
