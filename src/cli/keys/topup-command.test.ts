import { runCommand } from 'citty'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { addKey } from '../../http/keys/key-book.ts'
import { makeKey } from '../../http/keys/make-key.ts'
import { StoredKeys } from '../../http/keys/stored-keys.ts'
import { openStore } from '../../http/serve/open-store.ts'
import { createMemoryStore } from '../../http/usage/memory-store.ts'
import type { UsageStore } from '../../http/usage/usage-store.ts'
import { keysCommand } from './keys-command.ts'

vi.mock('../../http/serve/open-store.ts', () => ({ openStore: vi.fn<typeof openStore>() }))

let kept: UsageStore
let out: string
let errors: string
beforeEach(async () => {
  kept = createMemoryStore()
  out = errors = ''
  await new StoredKeys(kept).change((book) => addKey(book, makeKey(), { id: 'shop', prepaid: '1' }))
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => ((out += String(text)), true))
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => ((errors += String(text)), true))
})
afterEach(() => {
  vi.restoreAllMocks()
  process.exitCode = 0
})

/** Tops up by 10 EUR in a store that makes changes of the keys and does not say so, and is away from its `ending`th call on. */
async function pay(lateChanges: number, ending = Number.POSITIVE_INFINITY): Promise<string> {
  let changes = 0
  let calls = 0
  const call = () => {
    if (++calls >= ending) throw new Error('away')
  }
  const read: UsageStore['read'] = async (...given) => (call(), kept.read(...given))
  const update: UsageStore['update'] = async (...given) => {
    call()
    await kept.update(...given)
    if (given[0] === 'keys' && ++changes <= lateChanges) throw new Error('late')
  }
  vi.mocked(openStore).mockResolvedValue({ ...kept, read, update })
  await runCommand(keysCommand, { rawArgs: ['topup', 'shop', '10', '--store', 'redis://x', '--json'] })
  const { keys } = await new StoredKeys(kept).read()
  return (keys[0] as { readonly prepaid: string }).prepaid
}

describe('a top-up by the command line', () => {
  it('whose answer came late is asked for once more, and made once', async () => {
    expect(await pay(1)).toBe('11')
    expect([JSON.parse(out), errors]).toEqual([{ account: 'shop', prepaid: '11' }, ''])
  })

  it('that may have been made says so where the store then is away, and what to look at', async () => {
    // A look at the keys, one at the clock, a line of the trail and the change.
    expect(await pay(1, 5)).toBe('11')
    expect(JSON.parse(out)).toMatchObject({ error: { code: 'store_unavailable', retryable: false } })
    expect([errors, process.exitCode]).toEqual([
      expect.stringMatching(/may have been made.*npx tessera-onnx keys list/),
      1,
    ])
  })
})
