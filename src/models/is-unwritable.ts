/** Codes of a folder that cannot be written or has no room. */
const CODES = new Set([
  'ENOSPC',
  'EDQUOT',
  'EACCES',
  'EROFS',
  'EPERM',
  'ENOTDIR',
  // What Node makes of a read-only file system where more than one folder is missing.
  'ENOENT',
])

/** Whether what was thrown by the making or writing of a file says that its folder cannot be written. */
export function isUnwritable(error: unknown): error is NodeJS.ErrnoException & { readonly code: string } {
  return CODES.has((error as NodeJS.ErrnoException).code ?? '')
}
