import { randomUUID } from 'node:crypto'
import type { Stats } from 'node:fs'
import { chmod, chown, link, realpath, rename, rm, stat, writeFile } from 'node:fs/promises'
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
 * stays as it was. What a link points to is replaced, not the link. A file that is there keeps its owner, group and permissions.
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
    if (there && replace) await imitate(draft, there)
    return await (replace ? rename(draft, target) : appear(draft, target))
  } catch (error) {
    if (!(there && replace && isOfDraft(error as NodeJS.ErrnoException)))
      throw naming(path, draft, error as NodeJS.ErrnoException)
  } finally {
    await rm(draft, { force: true }).catch(() => {})
  }
  // The draft is gone, so that on a disk with little room there is as much as it had.
  await writeFile(target, content)
}

/** Whoever could read the file before can read it after, and nobody else. */
export async function imitate(draft: string, { uid, gid, mode }: Stats): Promise<void> {
  const made = await stat(draft)
  if (made.uid !== uid || made.gid !== gid) {
    await chown(draft, uid, gid).catch((error: unknown) => {
      // File systems have several codes for that this user may not give files away.
      throw Object.assign(error as Error, { code: 'EPERM' })
    })
  }
  await chmod(draft, mode & 0o777)
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

/**
 * Whether a file may be written although its folder takes no other, or cannot let go of it, as where the file itself is a mount, or
 * although no other can have its owner and group.
 */
function isOfDraft({ code = '' }: NodeJS.ErrnoException): boolean {
  return ['EACCES', 'EPERM', 'EROFS', 'EBUSY'].includes(code)
}
