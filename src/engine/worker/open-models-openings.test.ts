import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Openable, OpenModels } from './open-models.ts'

let events: string[]
beforeEach(() => {
  events = []
  vi.useFakeTimers()
})
afterEach(() => vi.useRealTimers())

function hold() {
  let release = () => {}
  const held = new Promise<void>((resolve) => (release = resolve))
  return { held, release }
}

/** `a` is weighed and opened, and closed, when it is let; `b` at once. */
function createTwo(memoryBudget: number) {
  const models = new OpenModels({ keepAlive: 1000, memoryBudget })
  const [weighing, opening, closing] = [hold(), hold(), hold()]
  const at = (folder: string, { held }: { held: Promise<void> }) => (folder === 'a' ? held : undefined)
  const use = (folder: string, signal = new AbortController().signal) =>
    models.use(
      {
        folder,
        weigh: async () => (await at(folder, weighing), 10),
        open: async () => {
          events.push(`open ${folder}`)
          await at(folder, opening)
          return {
            dispose: async () => {
              await at(folder, closing)
              events.push(`close ${folder}`)
            },
          }
        },
      },
      signal,
      () => void events.push(`use ${folder}`),
    )
  const abandon = async (folder: string) => {
    const controller = new AbortController()
    const aborted = use(folder, controller.signal).catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    controller.abort()
    expect(await aborted).toMatchObject({ code: 'aborted' })
  }
  return { models, use, abandon, weighing, opening, closing }
}

describe('an opening', () => {
  it('that nobody waits for is not waited for by itself, where it exceeds the budget beside a model used later', async () => {
    const { models, use, abandon, weighing, opening, closing } = createTwo(5)
    await abandon('a')
    await use('b')
    for (const { release } of [weighing, opening, closing]) release()
    await vi.advanceTimersByTimeAsync(0)
    await use('a')
    await models.dispose()
    expect(events).toEqual(['open b', 'use b', 'close b', 'open a', 'use a', 'close a'])
  })

  it('that nobody waits for is not begun beside itself, where another model needs the memory', async () => {
    const { use, abandon, weighing, opening, closing } = createTwo(15)
    weighing.release()
    await abandon('a')
    await use('b')
    const again = use('a')
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toEqual(['open a', 'open b', 'use b'])
    for (const { release } of [opening, closing]) release()
    await again
    expect(events).toEqual(['open a', 'open b', 'use b', 'close b', 'use a'])
  })

  it('is told of to all who wait for it, also where the one who began it has gone', async () => {
    const models = new OpenModels({ keepAlive: 1000, memoryBudget: 5 })
    const { held, release } = hold()
    const tell = (who: string) => (progress: { done: number }) => void events.push(`${who} ${progress.done}`)
    const open: Openable['open'] = async (_, onProgress) => {
      onProgress({ stage: 'loading', done: 0, total: 2 })
      await held
      onProgress({ stage: 'loading', done: 2, total: 2 })
      return { dispose: () => {} }
    }
    const use = (who: string, signal = new AbortController().signal) =>
      models.use({ folder: 'a', weigh: async () => 1, open }, signal, () => {}, tell(who))
    const leaving = new AbortController()
    const first = use('first', leaving.signal).catch(() => events.push('gone'))
    await vi.advanceTimersByTimeAsync(0)
    const second = use('second')
    leaving.abort()
    await first
    release()
    await second
    await use('late')
    expect(events).toEqual(['first 0', 'second 0', 'gone', 'second 2'])
  })

  it('of a model is begun only once it has been closed', async () => {
    const { use, weighing, opening, closing } = createTwo(15)
    for (const { release } of [weighing, opening]) release()
    await use('a')
    const other = use('b')
    await vi.advanceTimersByTimeAsync(0)
    const again = use('a')
    await vi.advanceTimersByTimeAsync(0)
    expect(events).toEqual(['open a', 'use a'])
    closing.release()
    await Promise.all([other, again])
    expect(events.filter((event) => event.endsWith('a'))).toEqual(['open a', 'use a', 'close a', 'open a', 'use a'])
  })
})

describe('two models that fit alone, asked for at once', () => {
  /** Models of 6 bytes in a memory of 10, which an opening takes when it ends. */
  function createLarge() {
    const models = new OpenModels({ keepAlive: 1000, memoryBudget: 5 })
    const opening = hold()
    let free = 10
    const admit = async (reusable: number) => {
      const available = free + reusable
      await Promise.resolve()
      if (available < 6) throw new Error('too little')
      return 6
    }
    const open = async () => {
      await opening.held
      free -= 6
      // What a closed model had stays with the process.
      return { dispose: () => {} }
    }
    const use = (folder: string, work: () => Promise<void> | void = () => {}) =>
      models.use({ folder, weigh: async () => 6, admit, open }, new AbortController().signal, async () => {
        events.push(`use ${folder}`)
        await work()
      })
    return { use, opening }
  }

  it('are open one after the other where the first is done', async () => {
    const { use, opening } = createLarge()
    const both = Promise.all([use('a'), use('b')])
    await vi.advanceTimersByTimeAsync(0)
    opening.release()
    await both
    expect(events).toEqual(['use a', 'use b'])
  })

  it('are not both let in while the first is in use', async () => {
    const { use, opening } = createLarge()
    const { held, release } = hold()
    const first = use('a', () => held)
    const second = use('b').catch((error: unknown) => error)
    await vi.advanceTimersByTimeAsync(0)
    opening.release()
    expect(await second).toMatchObject({ message: 'too little' })
    expect(events).toEqual(['use a'])
    release()
    await first
  })
})

describe('what closed models have left to the process', () => {
  type Use = (folder: string, bytes: number, open: Openable['open'], signal?: AbortSignal) => Promise<unknown>

  /** Asks with a last model, of 10 bytes, after the others are closed. */
  async function askAfter(openings: (use: Use) => Promise<unknown>, held?: () => number) {
    const models = new OpenModels({ keepAlive: 0, memoryBudget: 100 }, held)
    const asked: number[] = []
    const use: Use = (folder, bytes, open, signal = new AbortController().signal) => {
      const admit = async (reusable: number) => (asked.push(reusable), bytes)
      const done = models.use({ folder, weigh: async () => bytes, admit, open }, signal, () => {})
      return done.catch((error: Error) => events.push(error.message))
    }
    await openings(use)
    await vi.advanceTimersByTimeAsync(1)
    await use('last', 10, opens)
    return asked.at(-1)
  }
  const opens = async () => ({ dispose: () => {} })

  it('is what was open, at most at a time', async () => {
    const left = await askAfter(async (use) => {
      await use('a', 30, opens)
      await vi.advanceTimersByTimeAsync(1)
      await use('b', 20, opens)
    })
    expect(left).toBe(30)
  })

  it('is nothing of an opening that failed, or that nobody waited for', async () => {
    const left = await askAfter(async (use) => {
      await use('a', 40, async () => Promise.reject(new Error('a broken file')))
      const controller = new AbortController()
      const stops: Openable['open'] = (signal) =>
        new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))))
      const abandoned = use('b', 30, stops, controller.signal)
      await vi.advanceTimersByTimeAsync(0)
      controller.abort()
      await abandoned
    })
    expect(events).toEqual(['a broken file', expect.stringContaining('aborted')])
    expect(left).toBe(0)
  })

  it.each([
    [25, 25],
    [0, 0],
    [90, 30],
  ])('is no more than the process has taken: of 30 bytes, where that is %d, %d', async (taken, left) => {
    let held = 1000
    const openings = async (use: Use) => {
      await use('a', 30, opens)
      held += taken
    }
    expect(await askAfter(openings, () => held)).toBe(left)
  })

  it('has what the process held of other things, and has given back since, as free already', async () => {
    let held = 1000
    const openings = async (use: Use) => {
      held = 900
      await use('a', 30, opens)
      held = 920
    }
    expect(await askAfter(openings, () => held)).toBe(20)
  })
})
