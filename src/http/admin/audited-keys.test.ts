import { beforeEach, expect, it, vi } from 'vitest'
import type { UsageStore } from '../index.ts'
import { addKey, type BookChange, type KeyBook, listKeys } from '../keys/key-book.ts'
import { makeKey } from '../keys/make-key.ts'
import { StoredKeys } from '../keys/stored-keys.ts'
import { createMemoryStore } from '../usage/memory-store.ts'
import { AuditTrail } from './audit-trail.ts'
import { AuditedKeys } from './audited-keys.ts'

let store: UsageStore
let accounts: () => Promise<string[]>
beforeEach(() => {
  store = createMemoryStore()
  accounts = async () => listKeys(await new StoredKeys(store).read()).map(({ account }) => account)
})

const adding = (id: string) => {
  const fresh = makeKey()
  return vi.fn<(book: KeyBook) => BookChange>((book) => addKey(book, fresh, { id }))
}

it('a change of many keys is planned once', async () => {
  const keys = new AuditedKeys(new StoredKeys(store), new AuditTrail(store))
  for (const [index, id] of ['one', 'two'].entries()) {
    const plan = adding(id)
    expect((await keys.change('me', 'add', plan)).account).toBe(id)
    expect([plan.mock.calls.length, (await accounts()).length]).toEqual([1, index + 1])
  }
})

it('a change is planned anew where another one came first', async () => {
  const plan = adding('mine')
  let isFirst = true
  const update: UsageStore['update'] = async (...call) => {
    // As another process, between the look at the keys and their change.
    if (isFirst) await new StoredKeys(store).change(adding('other'))
    isFirst = false
    return store.update(...call)
  }
  const keys = new AuditedKeys(new StoredKeys({ ...store, update }), new AuditTrail(store))
  await keys.change('me', 'add', plan)
  expect([plan.mock.calls.length, await accounts()]).toEqual([2, ['other', 'mine']])
})
