import { mkdir, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { InvalidRequestError } from '../../errors/index.ts'
import { isUnwritable } from '../../models/files/is-unwritable.ts'
import { writeWhole } from '../../models/files/write-whole.ts'
import { readBook, writeBook } from '../keys/key-book.ts'
import type { KeyConfig } from '../keys/key-config.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { makeKey } from '../keys/make-key.ts'
import { createKeyStore } from '../keys/static-keys.ts'

/** @returns undefined where there is no such file @throws InvalidRequestError where it cannot be read */
export async function readKeyText(file: string): Promise<string | undefined> {
  try {
    // Editors on Windows begin a file with a byte-order mark.
    return (await readFile(file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined
    throw new InvalidRequestError('keys-file', `${file} could not be read (${code})`, { cause })
  }
}

/**
 * The keys of a file.
 *
 * @param isLocal Whether no other machine can connect: then keys that were made without being asked for will do.
 * @throws InvalidRequestError naming the file, or the setting in it, and never a key
 */
export function parseKeyFile(file: string, text: string, isLocal: boolean): KeyStore {
  try {
    const { keys } = readBook(text)
    const store = createKeyStore(keys)
    if (!isLocal) refuseLoopback(keys)
    return store
  } catch (error) {
    if (InvalidRequestError.isInstance(error)) throw new InvalidRequestError('keys-file', `${file}: ${error.message}`)
    throw new InvalidRequestError('keys-file', `${file} must hold {"keys": [...]} as JSON`)
  }
}

function refuseLoopback(keys: readonly (string | KeyConfig)[]): void {
  const index = keys.findIndex((key) => typeof key === 'object' && key.loopback === true)
  if (index < 0) return
  const reason = 'was made for this machine alone; revoke it, and make another with npx tessera-onnx keys add'
  throw new InvalidRequestError(`keys.${index}`, reason)
}

/**
 * Makes a key, and a file with its SHA-256 that only its owner may read. The key itself is written nowhere.
 *
 * @returns undefined where another process has just made the file
 * @throws InvalidRequestError where it cannot be written
 */
export async function makeKeyFile(file: string): Promise<string | undefined> {
  const { key, kept } = makeKey()
  const entry: KeyConfig = { id: 'default', scopes: ['decide', 'images', 'metrics'], loopback: true, ...kept }
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    await writeWhole(file, writeBook({ keys: [entry] }), { replace: false, mode: 0o600 })
    return key
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && syscall !== 'mkdir') return undefined
    if (!isUnwritable(error)) throw error
    const reason = `${file} for a first key cannot be written (${error.code}); set TESSERA_API_KEYS or give --keys-file`
    throw new InvalidRequestError('keys-file', reason, { cause: error })
  }
}
