import { expect, it } from 'vitest'
import { isUnwritable } from './is-unwritable.ts'

it.each([
  [{ code: 'EROFS' }, true],
  [{ code: 'ENOENT', syscall: 'mkdir' }, true],
  [{ code: 'EEXIST', syscall: 'mkdir' }, true],
  [{ code: 'EEXIST', syscall: 'link' }, false],
  [{ code: 'ENOENT', syscall: 'open' }, false],
  [{ code: 'ERR_ACCESS_DENIED', permission: 'FileSystemWrite' }, true],
  [{ code: 'ERR_ACCESS_DENIED', permission: 'ChildProcess' }, false],
  [{ code: 'EMFILE' }, false],
  [{}, false],
])('%o says that a folder cannot be written: %s', (fields, expected) => {
  expect(isUnwritable(Object.assign(new Error('x'), fields))).toBe(expected)
})
