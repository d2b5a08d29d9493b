import { expect, it } from 'vitest'
import { isUnwritable } from './is-unwritable.ts'

it.each([
  ['EROFS', true],
  // Of folders in folders on a read-only file system Node says this.
  ['ENOENT', true],
  ['EMFILE', false],
  [undefined, false],
])('%s says that a folder cannot be written: %s', (code, expected) => {
  expect(isUnwritable(Object.assign(new Error('x'), { code }))).toBe(expected)
})
