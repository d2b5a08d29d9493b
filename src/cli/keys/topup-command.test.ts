import { beforeEach, describe, expect, it, vi } from 'vitest'
import { addKey } from '../../http/keys/key-book.ts'
import { makeKey } from '../../http/keys/make-key.ts'
import { StoredKeys } from '../../http/keys/stored-keys.ts'
import { openStore } from '../../http/serve/open-store.ts'
import { createMemoryStore } from '../../http/usage/memory-store.ts'
import type { UsageStore } from '../../http/usage/usage-store.ts'
import { runTessera } from '../test-support/run-tessera.ts'

vi.mock('../../http/serve/open-store.ts', () => ({ openStore: vi.fn<typeof openStore>() }))

let kept: UsageStore
beforeEach(async () => {
  kept = createMemoryStore()
  await new StoredKeys(kept).change((book) => addKey(book, makeKey(), { id: 'shop', prepaid: '1' }))
})

/** Tops up by 10 EUR in a store that makes changes of the keys and does not say so, and is away from its `ending`th call on. */
async function pay(lateChanges: number, ending = Number.POSITIVE_INFINITY) {
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
  const { code, stdout, stderr } = await runTessera('keys', 'topup', 'shop', '10', '--store', 'redis://x', '--json')
  const { keys } = await new StoredKeys(kept).read()
  return {
    prepaid: (keys[0] as { readonly prepaid: string }).prepaid,
    code,
    stderr,
    said: JSON.parse(stdout) as object,
  }
}

describe('a top-up by the command line', () => {
  it('whose answer came late is asked for once more, and made once', async () => {
    const said = { account: 'shop', prepaid: '11' }
    expect(await pay(1)).toEqual({ prepaid: '11', code: 0, stderr: '', said })
  })

  it('that may have been made says so where the store then is away, and what to look at', async () => {
    // A look at the keys, one at the clock, a line of the trail and the change.
    expect(await pay(1, 5)).toMatchObject({
      prepaid: '11',
      code: 1,
      stderr: expect.stringMatching(/may have been made.*npx tessera-onnx keys list/),
      said: { error: { code: 'store_unavailable', retryable: false } },
    })
  })
})
