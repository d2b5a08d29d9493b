import { mkdir, realpath } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InvalidRequestError } from '../../errors/index.ts'
import { isUnwritable } from '../../models/files/is-unwritable.ts'
import { withLock } from '../../models/files/with-lock.ts'
import { writeWhole } from '../../models/files/write-whole.ts'
import { type BookChange, type KeyBook, readBook, writeBook } from '../keys/key-book.ts'
import { parseKeyFile, readKeyText } from './key-file.ts'

/** @throws InvalidRequestError for a file that cannot be used */
export async function readKeyBook(file: string): Promise<KeyBook> {
  const text = await readKeyText(file)
  if (text !== undefined) parseKeyFile(file, text, true)
  return readBook(text)
}

/**
 * Changes the keys of a file, which is replaced whole, by one process at a time. One that is not there is made, for its
 * owner alone.
 *
 * @throws InvalidRequestError for a file that cannot be used, or would have no key left: a service would go on with the
 *   last one
 */
export async function changeKeyFile(file: string, plan: (book: KeyBook) => BookChange): Promise<BookChange> {
  // What a link points to is replaced, not the link.
  const target = await realpath(file).catch(() => file)
  try {
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    return await withLock(`${target}.lock`, {}, async () => {
      const change = plan(await readKeyBook(target))
      if (change.book.keys.length === 0) {
        throw new InvalidRequestError('key', `is the last one in ${file}, which needs one; add another first`)
      }
      // Whoever reads it has the old text or the new one; it stays as private as it was.
      // Top-ups are not kept there: no answer comes late, so that nobody asks for one again.
      await writeWhole(target, writeBook({ keys: change.book.keys }), { mode: 0o600 })
      return change
    })
  } catch (error) {
    if (!isUnwritable(error)) throw error
    throw new InvalidRequestError('keys-file', `${file} could not be written (${error.code})`, { cause: error })
  }
}
