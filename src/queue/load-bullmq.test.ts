import { expect, it } from 'vitest'
import { loadBullmq } from './load-bullmq.ts'

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
