import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { boundStore } from '../../http/usage/bounded-store.ts'
import { Ledger } from '../../http/usage/ledger.ts'
import { createMemoryStore } from '../../http/usage/memory-store.ts'
import { DEFAULT_PRICES } from '../../http/usage/prices.ts'
import type { UsageStore } from '../../http/usage/usage-store.ts'
import { readJournal } from './serve-arguments.ts'

let folder: string
let warnings: string[]
beforeEach(() => {
  folder = temporaryFolder()
  warnings = []
  vi.stubEnv('XDG_STATE_HOME', folder)
  vi.spyOn(process, 'emitWarning').mockImplementation((warning) => void warnings.push(String(warning)))
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

const journalOf = (store: string) => readJournal({ store }).journal!

describe('the journal of a store', () => {
  it('is one folder for each, however its name is written, whoever has which password', () => {
    const same = [
      ['redis://localhost', 'redis://me:secret@LOCALHOST:6379/0', 'rediss://:other@localhost/'],
      ['redis://localhost:6380', 'redis://:secret@localhost:6380'],
      ['redis://localhost/1', 'redis://:secret@localhost:6379/1'],
      ['redis://elsewhere'],
      ['usage.db', resolve('usage.db')],
      ['other.db'],
    ]
    const folders = same.map((names) => [...new Set(names.map(journalOf))])
    expect(folders.map((each) => each.length)).toEqual(same.map(() => 1))
    expect(new Set(folders.flat()).size).toBe(same.length)
    for (const each of folders.flat()) {
      expect(dirname(each)).toBe(join(folder, 'tessera', 'journal'))
      expect(each.slice(dirname(each).length + 1)).toMatch(/^[0-9a-f]{16}$/)
    }
    expect(readJournal({ store: 'usage.db', journal: 'mine' })).toEqual({ journal: 'mine' })
    expect(readJournal({ store: 'memory' })).toEqual({})
  })

  it('keeps its charges from the others', async () => {
    const [first, second] = [createMemoryStore(), createMemoryStore()]
    let isAway = false
    const update: UsageStore['update'] = (...call) =>
      isAway ? Promise.reject(new Error('away')) : first.update(...call)
    const open = (store: UsageStore, name: string) => new Ledger(boundStore(store), DEFAULT_PRICES, journalOf(name))
    const leaving = open({ ...first, update }, 'first.db')
    const work = await leaving.reserve({ id: 'shop' }, { endpoint: 'edits', foresee: async () => 1 })
    isAway = true
    await work.settle(1)
    await leaving.close()
    isAway = false
    const other = open(second, 'second.db')
    await other.close()
    const next = open(first, 'first.db')
    await next.close()
    expect(await other.usage('shop')).toEqual([])
    expect(await next.usage('shop')).toMatchObject([{ units: 1 }])
    expect(await readdir(journalOf('first.db'))).toEqual([])
  })

  it('tells of charges of a store with another name, which may be this one before it was renamed, or that of another service', async () => {
    const [own, other] = [journalOf('new.db'), journalOf('old.db')]
    await Promise.all([own, other].map((each) => mkdir(each, { recursive: true })))
    await writeFile(join(own, 'a.json'), '{}')
    journalOf('new.db')
    expect(warnings).toEqual([])
    for (const name of ['a.json', 'b.json', 'c.tmp']) await writeFile(join(other, name), '{}')
    journalOf('new.db')
    expect(warnings).toEqual([expect.stringContaining(`charges that wait in ${other} (2) are not made here`)])
    expect(warnings[0]).toMatch(/another service.*renamed or moved/)
    expect(warnings[0]).toContain(`--journal ${other}`)
  })
})
