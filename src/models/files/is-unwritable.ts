/** Codes of a folder that cannot be written or has no room. */
const CODES = new Set(['ENOSPC', 'EDQUOT', 'EACCES', 'EROFS', 'EPERM', 'ENOTDIR'])

/** Whether what was thrown by the making or writing of a file says that its folder cannot be written. */
export function isUnwritable(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  const { code = '', syscall, permission } = error as NodeJS.ErrnoException & { permission?: string }
  // Of Node's permission model.
  if (code === 'ERR_ACCESS_DENIED') return permission === 'FileSystemWrite'
  // Of folders in folders on a read-only file system Node says that there is none, and of a file in place of a folder that it exists.
  return CODES.has(code) || (syscall === 'mkdir' && (code === 'ENOENT' || code === 'EEXIST'))
}
