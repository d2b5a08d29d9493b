import { randomUUID } from 'node:crypto'
import { readdir, rename, stat, utimes } from 'node:fs/promises'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'

/** `fetch` gives up a connection that is silent for five minutes, so whoever wrote to such a file has ended. */
const ABANDONED_MS = 10 * 60_000
/** For a file whose writer is not among this machine's processes: another container may call itself by the same name. */
const SILENT_MS = 15_000
/** Tells this process from an earlier one with its number, as containers have when they start again. */
const SELF = randomUUID().slice(0, 8)

/**
 * A path for downloading to that no other process writes to, with what an ended download of the blob has left there. One
 * that is still written to is never taken: its owner would go on writing to what has become the blob.
 */
export async function claimPartial(blob: string): Promise<string> {
  const own = `${blob}.${hostname()}.${process.pid}.${SELF}-${randomUUID()}.incomplete`
  for (const partial of await listPartials(blob)) {
    if (!(await isFree(partial, blob))) continue
    const now = new Date()
    // First, since a name that is ours and looks abandoned would be taken from us. Of several that rename, one succeeds.
    const claimed = await utimes(partial, now, now)
      .then(() => rename(partial, own))
      .then(
        () => true,
        () => false,
      )
    if (claimed) break
  }
  return own
}

/** Leaves a claimed file, if there is one, for whoever downloads the blob next: under the name that the hub's own tools use. */
export async function leavePartial(own: string, blob: string): Promise<void> {
  // So old that nobody takes it for a file that is still written to.
  await utimes(own, 0, 0)
    .then(() => rename(own, `${blob}.incomplete`))
    .catch(() => {})
}

async function listPartials(blob: string): Promise<string[]> {
  const start = `${basename(blob)}.`
  const names = (await readdir(dirname(blob))).filter((name) => name.startsWith(start) && name.endsWith('.incomplete'))
  return names.map((name) => join(dirname(blob), name))
}

async function isFree(partial: string, blob: string): Promise<boolean> {
  // From the end, since a host's name may have dots.
  const [writer = '', pid, ...host] = partial
    .slice(blob.length + 1)
    .split('.')
    .slice(0, -1)
    .toReversed()
  const isHere = host.toReversed().join('.') === hostname()
  const hasEnded = isHere && (Number(pid) === process.pid ? !writer.startsWith(SELF) : !isRunning(Number(pid)))
  const { mtimeMs } = await stat(partial).catch(() => ({ mtimeMs: Infinity }))
  return Date.now() - mtimeMs > (hasEnded ? SILENT_MS : ABANDONED_MS)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // There is one, of another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
