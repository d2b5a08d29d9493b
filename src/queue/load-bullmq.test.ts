import { createRequire } from 'node:module'
import { expect, it } from 'vitest'
import { loadBullmq, requireBullmq } from './load-bullmq.ts'

it.each(['5.81.5', '6.0.0', '6.6.9'])(
  'BullMQ %s, with which a worker would wait for ever, is refused',
  async (version) => {
    const loading = loadBullmq(async () => version)
    await expect(loading).rejects.toThrow(`connection: a queue needs bullmq 6.7 or later, got ${version}`)
  },
)

it.each(['6.7.0', '6.10.1', '7.0.0-rc.1', undefined])('BullMQ %s is taken', async (version) => {
  expect(await loadBullmq(async () => version)).toHaveProperty('Worker')
})

it('the BullMQ that is installed is taken', async () => {
  expect(await loadBullmq()).toHaveProperty('Queue')
})

it('is looked for before it is loaded', async () => {
  await expect(requireBullmq()).resolves.toBeUndefined()
  await expect(requireBullmq(async () => '5.81.5')).rejects.toThrow('needs bullmq 6.7 or later')
  const absent = requireBullmq(async () => createRequire(import.meta.url).resolve('no-such-package/package.json'))
  await expect(absent).rejects.toThrow('a queue needs the package bullmq: npm install bullmq')
})
