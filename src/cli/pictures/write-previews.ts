import { randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Preview } from '../../engine/index.ts'
import { InvalidRequestError } from '../../errors/index.ts'

/**
 * Writes previews into a folder, which is made, as `0-1.png` for picture 0 after its first step. Files of earlier runs are replaced.
 *
 * @throws InvalidRequestError where the folder can't be made, and later where a file can't be written
 */
export function writePreviews(folder: string): (preview: Preview) => void {
  orThrow(folder, () => mkdirSync(folder, { recursive: true }))
  return ({ picture, step, steps, b64_json }) => {
    const name = `${picture}-${String(step).padStart(String(steps).length, '0')}.png`
    orThrow(folder, () => writeShown(join(folder, name), join(folder, `.${randomUUID()}`), b64_json))
  }
}

/** Whoever watches the folder never sees half a picture; on a full disk none stays. */
function writeShown(path: string, draft: string, png: string): void {
  try {
    writeFileSync(draft, Buffer.from(png, 'base64'))
    renameSync(draft, path)
  } finally {
    rmSync(draft, { force: true })
  }
}

function orThrow(folder: string, write: () => void): void {
  try {
    write()
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    throw new InvalidRequestError('--previews', `nothing could be written into ${folder} (${code})`, { cause })
  }
}
