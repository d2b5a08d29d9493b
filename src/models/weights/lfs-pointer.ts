const START = 'version https://git-lfs'
/** Enough to tell: no file of weights or JSON begins so. */
const SHORTEST = 8

/**
 * What git leaves in place of a large file where its extension for them is not installed, in words; undefined of anything else.
 *
 * @param start of the file, eight bytes or more
 */
export function describeLfsPointer(start: Uint8Array | string): string | undefined {
  const text = typeof start === 'string' ? start : String.fromCharCode(...start.subarray(0, START.length))
  const isPointer = text.length >= SHORTEST && START.startsWith(text.slice(0, START.length))
  return isPointer ? 'a pointer of Git LFS, for which `git lfs pull` fetches the file itself' : undefined
}
