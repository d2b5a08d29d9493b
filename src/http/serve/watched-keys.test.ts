import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../../../test/helpers/temporary-folder.ts'
import { createServer } from '../index.ts'
import { bearer, BODY, get, json, post } from '../test-support/requests.ts'
import { createStubEngine } from '../test-support/stub-engine.ts'
import { WatchedKeys } from './watched-keys.ts'

let folder: string
let file: string
let keys: WatchedKeys
let reports: (string | undefined)[]
beforeEach(() => {
  folder = temporaryFolder()
  file = join(folder, 'keys.json')
  reports = []
})
afterEach(async () => {
  keys.close()
})

const textOf = (...names: string[]) => JSON.stringify({ keys: names.map((key) => ({ key, id: key })) })

async function open(): Promise<void> {
  keys = (await WatchedKeys.open(file, true))!
  keys.watch((problem) => reports.push(problem))
}

/** Another file takes its place at once, as editors and deployments do it. */
async function replace(text: string): Promise<void> {
  await writeFile(join(folder, 'next'), text)
  await rename(join(folder, 'next'), file)
}

const known = async (...names: string[]) =>
  (await Promise.all(names.map(async (name) => (await keys.find(name)) && name))).filter(Boolean)

describe('a keys file that changes', () => {
  it('by a write or by another file in its place is read again', async () => {
    await writeFile(file, textOf('a'))
    await open()
    await writeFile(file, textOf('b'))
    await vi.waitFor(async () => expect(await known('a', 'b')).toEqual(['b']), { timeout: 10_000 })
    await replace(textOf('c'))
    await vi.waitFor(async () => expect(await known('a', 'b', 'c')).toEqual(['c']), { timeout: 10_000 })
    expect(reports).toEqual([undefined, undefined])
  })

  it('behind a link, as containers mount it, is read again', async () => {
    for (const name of ['one', 'two']) {
      await mkdir(join(folder, name))
      await writeFile(join(folder, name, 'keys.json'), textOf(name))
    }
    await symlink('one', join(folder, 'data'))
    await symlink(join('data', 'keys.json'), file)
    await open()
    await symlink('two', join(folder, 'data.next'))
    await rename(join(folder, 'data.next'), join(folder, 'data'))
    await vi.waitFor(async () => expect(await known('one', 'two')).toEqual(['two']), { timeout: 10_000 })
  })

  it('behind a link to where nobody tells of changes is looked at every two seconds', async () => {
    await mkdir(join(folder, 'far'))
    await mkdir(join(folder, 'near'))
    await writeFile(join(folder, 'far', 'keys.json'), textOf('a'))
    file = join(folder, 'near', 'keys.json')
    await symlink(join('..', 'far', 'keys.json'), file)
    await open()
    await writeFile(join(folder, 'far', 'keys.json'), textOf('b'))
    await vi.waitFor(async () => expect(await known('a', 'b')).toEqual(['b']), { timeout: 10_000 })
  })

  it.each([
    ['{', 'must hold {"keys": [...]} as JSON'],
    ['{"keys":[]}', 'must list at least one key'],
    ['{"keys":[{"key":"CANARY","expires":"soon"}]}', 'keys.0.expires: must be a time'],
    [undefined, 'there is no file'],
  ])('to %j keeps the old keys, says why, and is stale until it is right again', async (text, reason) => {
    await writeFile(file, textOf('a'))
    await open()
    const server = createServer({ engine: createStubEngine().engine, keys })
    const readiness = async () => {
      const response = await server.fetch(get('/readyz'))
      return [response.status, await json(response)]
    }
    expect(await readiness()).toEqual([200, { status: 'ready' }])
    await (text === undefined ? rm(file) : replace(text))
    await keys.reload()
    await keys.reload()
    expect(await known('a')).toEqual(['a'])
    expect(reports).toEqual([expect.stringContaining(reason)])
    expect(reports.join()).toContain(file)
    expect(reports.join()).not.toContain('CANARY')
    expect(await readiness()).toEqual([200, { status: 'ready', stale: ['keys'] }])
    await replace(textOf('a'))
    await keys.reload()
    expect([keys.isStale, reports.at(-1)]).toEqual([false, undefined])
  })

  it('ends what a key may do at once, and not what it had begun', async () => {
    await writeFile(file, textOf('a', 'b'))
    await open()
    const stub = createStubEngine()
    const go = stub.hold()
    const server = createServer({ engine: stub.engine, keys })
    const running = server.fetch(post(BODY, { headers: bearer('a') }))
    await vi.waitUntil(() => stub.counts.running === 1, { timeout: 60_000 })
    await replace(textOf('b'))
    await keys.reload()
    expect((await server.fetch(post(BODY, { headers: bearer('a') }))).status).toBe(401)
    go()
    expect((await running).status).toBe(200)
    expect(await server.usage('a')).toMatchObject([{ requests: 1 }])
  })
})
