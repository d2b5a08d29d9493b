import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { InvalidRequestError } from '../errors/index.ts'

/** Makes what goes through the store unreadable there. */
export interface Sealer {
  /** @param id of the call that the text belongs to: it can be opened as that of no other */
  seal(text: string, id: string): string
  /** @throws Error for what is not sealed with a key that is known here, or is another call's */
  open(sealed: string, id: string): string
}

const IV_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const ENVIRONMENT = 'TESSERA_QUEUE_KEYS'

/**
 * AES-256-GCM with keys as `id:base64`, separated by commas: the first one seals, all of them open. A new key is put behind
 * the old one in all processes, then in front of it in all, and stays alone when nothing of the old one is left.
 *
 * @param given default the variable `TESSERA_QUEUE_KEYS`
 * @throws InvalidRequestError without keys, for one that is none, or two of one id; never shows a key
 */
export function createSealer(given?: string): Sealer {
  const name = given === undefined ? ENVIRONMENT : 'keys'
  const keys = given ?? process.env[ENVIRONMENT]
  if (keys === undefined || keys.trim() === '') {
    const help = `make one: node -e "console.log('k1:' + crypto.randomBytes(32).toString('base64'))"`
    throw new InvalidRequestError(
      'keys',
      `are needed, as prompts, states and pictures go through the queue: set ${ENVIRONMENT} or the option (${help}), or say that they may be read there (plaintext, --queue-plaintext)`,
    )
  }
  const listed = keys.split(',').map((key) => readKey(key.trim(), name))
  const known = new Map(listed)
  if (known.size < listed.length) {
    // What is sealed with the one could not be opened with the other, and nothing tells them apart.
    const [twice = ''] = listed.find(([id], index) => listed.findIndex(([other]) => other === id) < index) ?? []
    throw new InvalidRequestError(name, `must have an id each, got two of the id ${twice}; give a new key another id`)
  }
  const [[first, secret]] = listed as unknown as [readonly [string, Buffer]]
  return {
    seal(text, id) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv('aes-256-gcm', secret, iv).setAAD(Buffer.from(id))
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final()]
      return `${first}.${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64')}`
    },
    open(sealed, id) {
      const [name = '', data = ''] = sealed.split('.')
      const key = known.get(name)
      if (key === undefined) throw new Error('a call is sealed with a key that is not known here')
      const bytes = Buffer.from(data, 'base64')
      const tag = bytes.subarray(-TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(id)).setAuthTag(tag)
      return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** For stores that nobody else can read, as whoever runs them says. */
export const PLAINTEXT: Sealer = { seal: (text) => text, open: (text) => text }

function readKey(text: string, name: string): readonly [string, Buffer] {
  const [, id, base64] = /^([\w-]{1,32}):([A-Za-z0-9+/]+=*)$/.exec(text) ?? []
  const secret = Buffer.from(base64 ?? '', 'base64')
  if (id === undefined || secret.length !== KEY_BYTES) {
    throw new InvalidRequestError(name, `must be id:base64 of ${KEY_BYTES} bytes, separated by commas`)
  }
  return [id, secret]
}
