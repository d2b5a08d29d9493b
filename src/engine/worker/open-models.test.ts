import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OpenModels, type OpenModelsOptions } from './open-models.ts'

let events: string[]
beforeEach(() => {
  events = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

/** Models that each weigh 10 bytes unless said otherwise. */
function create(options: Partial<OpenModelsOptions> = {}) {
  const models = new OpenModels({ keepAlive: 1000, memoryBudget: Number.POSITIVE_INFINITY, ...options })
  const use = <T>(name: string, work: () => T | Promise<T>, bytes = 10) =>
    models.use(
      {
        folder: name,
        weigh: async () => bytes,
        open: async () => {
          events.push(`open ${name}`)
          return { dispose: () => void events.push(`close ${name}`) }
        },
      },
      new AbortController().signal,
      work,
    )
  const touch = (name: string, bytes?: number) => use(name, () => {}, bytes)
  return { models, use, touch }
}

function hold() {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  return { held, release }
}

describe('keepAlive', () => {
  it('closes a model that was not used for that long, counted from the last use', async () => {
    const { touch } = create()
    await touch('a')
    await vi.advanceTimersByTimeAsync(999)
    await touch('a')
    await vi.advanceTimersByTimeAsync(999)
    expect(events).toEqual(['open a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(events).toEqual(['open a', 'close a'])
    await touch('a')
    expect(events).toEqual(['open a', 'close a', 'open a'])
  })

  it('begins when no name has a model stay open any more', async () => {
    const { models, use } = create()
    await use('a', () => ['x', 'y'].forEach((name) => models.keep('a', name)))
    models.release('x')
    models.release('z')
    await vi.advanceTimersByTimeAsync(5000)
    expect(events).toEqual(['open a'])
    models.release('y')
    await vi.advanceTimersByTimeAsync(999)
    expect(events).toEqual(['open a'])
    await vi.advanceTimersByTimeAsync(1)
    expect(events).toEqual(['open a', 'close a'])
  })

  it('never closes a model in use, by however many', async () => {
    const { use, touch } = create()
    const { held, release } = hold()
    const long = use('a', () => held)
    await touch('a')
    await vi.advanceTimersByTimeAsync(5000)
    expect(events).toEqual(['open a'])
    release()
    await long
    await vi.advanceTimersByTimeAsync(1000)
    expect(events).toEqual(['open a', 'close a'])
  })

  it.each([Number.POSITIVE_INFINITY, 2 ** 40])('of %d keeps a model', async (keepAlive) => {
    const { touch } = create({ keepAlive })
    await touch('a')
    await vi.advanceTimersByTimeAsync(2 ** 31)
    expect(events).toEqual(['open a'])
  })
})

describe('memoryBudget', () => {
  it('closes what was used longest ago before another model is opened', async () => {
    const { touch } = create({ memoryBudget: 25 })
    await touch('a')
    await touch('b')
    await touch('a')
    await touch('c')
    expect(events).toEqual(['open a', 'open b', 'close b', 'open c'])
  })

  it('is exceeded by models in use, and kept again once they are not', async () => {
    const { use, touch } = create({ memoryBudget: 15 })
    const { held, release } = hold()
    const long = use('a', () => held)
    await touch('b')
    expect(events).toEqual(['open a', 'open b'])
    release()
    await long
    // The answer does not wait for it.
    await vi.waitFor(() => expect(events).toEqual(['open a', 'open b', 'close b']), { timeout: 60_000 })
  })

  it('leaves room for one model, however large', async () => {
    const { touch } = create({ memoryBudget: 5 })
    await touch('a')
    await touch('a')
    await touch('b', 1000)
    expect(events).toEqual(['open a', 'close a', 'open b'])
  })
})

it('opens a model once for all who use it at the same time', async () => {
  const { touch } = create()
  await Promise.all([touch('a'), touch('a'), touch('a')])
  expect(events).toEqual(['open a'])
})

it('passes on why a model could not be opened or weighed, and tries again', async () => {
  const { models, touch } = create()
  const broken = () => Promise.reject(new Error('no such file'))
  const unreadable = { folder: 'a', weigh: broken, open: broken }
  await expect(models.use(unreadable, new AbortController().signal, () => {})).rejects.toThrow('no such file')
  await touch('a')
  expect(events).toEqual(['open a'])
})

describe('a model that is being opened', () => {
  /** Opens as slowly as is let, and fails once it is stopped, or opens on. */
  function createSlow({ stops = true } = {}) {
    const models = new OpenModels({ keepAlive: 1000, memoryBudget: 100 })
    const { held, release } = hold()
    const open = async (signal: AbortSignal) => {
      events.push('open')
      await Promise.race([
        held,
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
      ]).catch((error: Error) => void events.push(error.message))
      if (stops) signal.throwIfAborted()
      else await held
      return { dispose: () => void events.push('close') }
    }
    const wait = (signal: AbortSignal) =>
      models.use({ folder: 'a', weigh: async () => 10, open }, signal, () => void events.push('work'))
    return { wait, release }
  }

  it('goes on for those who still wait, and stops with the last of them', async () => {
    const { wait, release } = createSlow()
    const [one, other] = [new AbortController(), new AbortController()]
    const waiting = [wait(one.signal), wait(other.signal)].map((use) =>
      expect(use).rejects.toMatchObject({ code: 'aborted' }),
    )
    await vi.advanceTimersByTimeAsync(0)
    one.abort()
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toEqual(['open'])
    other.abort()
    await Promise.all(waiting)
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toEqual(['open', 'stopped'])
    release()
    await wait(new AbortController().signal)
    expect(events).toEqual(['open', 'stopped', 'open', 'work'])
  })

  it('is opened anew by who comes after it was stopped, before it has', async () => {
    const { wait, release } = createSlow()
    const controller = new AbortController()
    const aborted = wait(controller.signal).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    controller.abort()
    expect(await aborted).toMatchObject({ code: 'aborted' })
    const next = wait(new AbortController().signal)
    await vi.advanceTimersByTimeAsync(0)
    release()
    await next
    await wait(new AbortController().signal)
    expect(events).toEqual(['open', 'stopped', 'open', 'work', 'work'])
  })

  it('that does not stop serves who comes next, and is closed after keepAlive', async () => {
    const { wait, release } = createSlow({ stops: false })
    const controller = new AbortController()
    const aborted = wait(controller.signal).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    controller.abort()
    expect(await aborted).toMatchObject({ code: 'aborted' })
    const next = wait(new AbortController().signal)
    release()
    await next
    expect(events).toEqual(['open', 'stopped', 'work'])
    await vi.advanceTimersByTimeAsync(1000)
    expect(events).toEqual(['open', 'stopped', 'work', 'close'])
  })
})

it('closes a model after work that failed, and passes the failure on', async () => {
  const { use } = create({ keepAlive: 0 })
  const failed = use('a', () => Promise.reject(new Error('out of paint')))
  await expect(failed).rejects.toThrow('out of paint')
  await vi.advanceTimersByTimeAsync(0)
  expect(events).toEqual(['open a', 'close a'])
})

it('closes everything when it is disposed, and no timer goes on', async () => {
  const { models, touch } = create()
  await Promise.all([touch('a'), touch('b')])
  await models.dispose()
  expect(events).toEqual(['open a', 'open b', 'close a', 'close b'])
  expect(vi.getTimerCount()).toBe(0)
})

it('closes what nobody uses where a model is refused for lack of memory, and asks again', async () => {
  const { models, touch } = create()
  await touch('a')
  const asked: number[] = []
  const admit = async (reusable: number) => {
    asked.push(reusable)
    if (reusable < 10) throw new Error('too little')
    return 10
  }
  const open = async () => ({ dispose: () => {} })
  await models.use({ folder: 'b', weigh: async () => 10, admit, open }, new AbortController().signal, () => {})
  expect([events, asked]).toEqual([
    ['open a', 'close a'],
    [0, 10],
  ])
})
