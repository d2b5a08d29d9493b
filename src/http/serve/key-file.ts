import { randomBytes, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { z } from 'zod'
import { InvalidRequestError } from '../../errors/index.ts'
import type { KeyConfig } from '../keys/key-config.ts'
import type { KeyStore } from '../keys/key-store.ts'
import { createKeyStore, hash } from '../keys/static-keys.ts'

/** `{ "keys": [...] }`, each a key or its settings; `createKeyStore` checks them. */
const keyFileSchema = z.object({ keys: z.array(z.custom<string | KeyConfig>()) })

/**
 * The keys of a file.
 *
 * @returns undefined where there is no such file
 * @throws InvalidRequestError naming the file, or the setting in it, and never a key
 */
export async function readKeyFile(file: string): Promise<KeyStore | undefined> {
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (cause) {
    const { code = 'unknown error' } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new InvalidRequestError('keys-file', `${file} could not be read (${code})`, { cause })
  }
  try {
    return createKeyStore(keyFileSchema.parse(JSON.parse(text)).keys)
  } catch (error) {
    if (InvalidRequestError.isInstance(error)) throw new InvalidRequestError('keys-file', `${file}: ${error.message}`)
    throw new InvalidRequestError('keys-file', `${file} must hold {"keys": [...]} as JSON`)
  }
}

/**
 * Makes a key, and a file with its SHA-256 that only its owner may read. The key itself is written nowhere.
 *
 * @returns undefined where another process has just made the file
 */
export async function makeKeyFile(file: string): Promise<string | undefined> {
  const key = `tsr_${randomBytes(32).toString('base64url')}`
  const keys: KeyConfig[] = [{ id: 'default', sha256: hash(key).toString('hex') }]
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const temporary = `${file}.${randomUUID()}`
  try {
    await writeFile(temporary, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    // A link appears with all that is in it, and only where nothing is.
    await link(temporary, file)
    return key
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return undefined
  } finally {
    await rm(temporary, { force: true })
  }
}
