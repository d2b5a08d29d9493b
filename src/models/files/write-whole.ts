import { randomUUID } from 'node:crypto'
import { chmod, link, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { exists } from './exists.ts'

interface WriteWholeOptions {
  /** Whether a file that is there is replaced; else it is refused with the code EEXIST. @defaultValue true */
  readonly replace?: boolean
  /** Of a file that is made; one that is there keeps its own. @defaultValue what the system gives */
  readonly mode?: number
}

/**
 * Writes a file that appears with all that is in it: on a full disk, or where the process ends meanwhile, what was there before
 * stays as it was. What a link points to is replaced, not the link.
 *
 * @throws errors of the file system as Node has them
 */
export async function writeWhole(
  path: string,
  content: string | Uint8Array,
  { replace = true, mode }: WriteWholeOptions = {},
): Promise<void> {
  const target = await realpath(path).catch(() => path)
  const there = await stat(target).catch(() => undefined)
  // A device or a pipe takes what is written, and has nothing to lose.
  if (there && !there.isFile()) return writeFile(target, content)
  // Beside it, since a rename cannot reach another disk; not of its name, which may be as long as names can be.
  const draft = join(dirname(target), `.${randomUUID()}`)
  try {
    await writeFile(draft, content, { flag: 'wx', ...(mode === undefined ? {} : { mode }) })
    if (there) await chmod(draft, there.mode & 0o777)
    await (replace ? rename(draft, target) : appear(draft, target))
  } catch (error) {
    if (!(there && replace && isOfFolder(error as NodeJS.ErrnoException)))
      throw naming(path, draft, error as NodeJS.ErrnoException)
    await writeFile(target, content)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
}

/** Nobody knows the draft: an error names the file that was asked for. */
function naming(path: string, draft: string, error: NodeJS.ErrnoException): NodeJS.ErrnoException {
  error.message = error.message.replaceAll(draft, path)
  return Object.assign(error, { path })
}

/** Two that write the same file at once cannot both find that it is not there. */
async function appear(draft: string, target: string): Promise<void> {
  await link(draft, target).catch(async (error: NodeJS.ErrnoException) => {
    // Not every file system has links.
    if (error.code === 'EEXIST' || (await exists(target))) throw Object.assign(error, { code: 'EEXIST' })
    await rename(draft, target)
  })
}

/** Whether a file may be written although its folder takes no other, or cannot let go of it, as where the file itself is a mount. */
function isOfFolder({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(code)
}
