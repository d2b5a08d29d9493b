import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

const never = new AbortController().signal

describe('Turns', () => {
  it('alternates between jobs in order of arrival', async () => {
    const turns = new Turns()
    const log: string[] = []
    const work = async (name: string, steps: number) => {
      const place = turns.join(never)
      for (let step = 0; step < steps; step++) {
        await place.turn()
        log.push(name)
      }
      place.leave()
    }
    await Promise.all([work('a', 4), work('b', 2), work('c', 3)])
    expect(log.join('')).toBe('abcabcaca')
  })

  it('lets only one job hold the turn', async () => {
    const turns = new Turns()
    const first = turns.join(never)
    const second = turns.join(never)
    await first.turn()
    let came = false
    const waiting = second.turn().then(() => (came = true))
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(came).toBe(false)
    first.leave()
    await waiting
    expect(came).toBe(true)
  })

  it('rejects a waiting job when it is aborted, and serves the ones behind it', async () => {
    const turns = new Turns()
    const holder = turns.join(never)
    await holder.turn()
    const controller = new AbortController()
    const aborted = turns.join(controller.signal).turn()
    const behind = turns.join(never).turn()
    controller.abort('enough')
    await expect(aborted).rejects.toMatchObject({ code: 'aborted', cause: 'enough' })
    holder.leave()
    await expect(behind).resolves.toBeUndefined()
  })

  it('passes the turn on when its holder is found aborted', async () => {
    const turns = new Turns()
    const controller = new AbortController()
    const place = turns.join(controller.signal)
    await place.turn()
    controller.abort()
    await expect(place.turn()).rejects.toMatchObject({ code: 'aborted' })
    place.leave()
    await expect(turns.join(never).turn()).resolves.toBeUndefined()
  })
})
