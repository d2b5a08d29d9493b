import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { bundleRedis } from '../scripts/bundle-redis.ts'
import { temporaryFolder } from './helpers/temporary-folder.ts'

/** Makes a client that connects to nothing, and tells its methods and how large the heap of the process is then. */
const MAKE_ONE = `
const { createClient } = await import(process.argv[1])
const client = createClient()
const heap = process.memoryUsage().heapTotal
const methods = (object) => {
  const found = new Set()
  for (let at = object; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (typeof value === 'function') found.add(name)
    }
  }
  return [...found].toSorted()
}
console.log(JSON.stringify({ client: methods(client), multi: methods(client.multi()), heap }))`

describe('the client of Redis in one file', () => {
  const folder = temporaryFolder()
  beforeAll(() => bundleRedis(folder))

  function make(from: string) {
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', MAKE_ONE, from], { encoding: 'utf8' })
    return JSON.parse(stdout) as { client: string[]; multi: string[]; heap: number }
  }

  it('has every method of the package, without the garbage', () => {
    const bundled = make(pathToFileURL(join(folder, 'redis-client.js')).href)
    const whole = make(import.meta.resolve('@redis/client'))
    expect(bundled.client).toEqual(expect.arrayContaining(['zAdd', 'ZADD', 'eval', 'connect', 'multi', 'destroy']))
    expect([bundled.client, bundled.multi]).toEqual([whole.client, whole.multi])
    expect(bundled.heap).toBeLessThan(25e6)
  }, 60_000)
})
