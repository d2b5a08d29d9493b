import { expect, it } from 'vitest'
import { LazyEngine } from './lazy-engine.ts'
import { runFake, startFakeEngine } from './test-support/engines.ts'

it('creates one engine, and only when it is used', async () => {
  let created = 0
  const lazy = new LazyEngine(() => (created++, startFakeEngine({ worker: false })))
  expect(created).toBe(0)
  const [one, other] = await Promise.all([lazy.get(), lazy.get()])
  expect(one).toBe(other)
  expect(created).toBe(1)
  await lazy.dispose()
  await expect(runFake(one, {})).rejects.toMatchObject({ code: 'engine_disposed' })
})

it('creates another after a failure and after dispose', async () => {
  let created = 0
  const lazy = new LazyEngine(() =>
    ++created === 1 ? Promise.reject(new Error('no disk')) : startFakeEngine({ worker: false }),
  )
  await expect(lazy.get()).rejects.toThrow('no disk')
  const second = await lazy.get()
  await lazy.dispose()
  await lazy.dispose()
  const third = await lazy.get()
  expect(third).not.toBe(second)
  expect(created).toBe(3)
  await lazy.dispose()
})

it('disposes an engine that is still being created', async () => {
  const lazy = new LazyEngine(() => startFakeEngine({ worker: false }))
  const creation = lazy.get()
  await lazy.dispose()
  await expect(runFake(await creation, {})).rejects.toMatchObject({ code: 'engine_disposed' })
})

it('lets go of whoever gives up waiting, and goes on for the others', async () => {
  const controller = new AbortController()
  const lazy = new LazyEngine(() => startFakeEngine({ worker: false }))
  const waiting = lazy.get(controller.signal)
  controller.abort('enough')
  await expect(waiting).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
  await expect(lazy.get(AbortSignal.abort())).rejects.toMatchObject({ code: 'aborted' })
  expect(await runFake(await lazy.get(new AbortController().signal), { name: 'a', steps: 1 })).toBe('a1')
  await lazy.dispose()
})
