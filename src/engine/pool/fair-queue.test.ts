import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FairQueue } from './fair-queue.ts'

const item = (name: string) => ({ client: name.slice(0, 1), name })

function drain(queue: FairQueue<{ client: string; name: string }>): string {
  const names: string[] = []
  for (let next = queue.take(); next; next = queue.take()) names.push(next.name)
  return names.join(' ')
}

describe('FairQueue', () => {
  it('serves clients in turn and each of them in order of arrival', () => {
    const queue = new FairQueue<ReturnType<typeof item>>()
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(item(name))
    expect(drain(queue)).toBe('a1 b1 c1 a2 b2 a3')
  })

  it('puts a client that was just served behind those who wait', () => {
    const queue = new FairQueue<ReturnType<typeof item>>()
    for (const name of ['a1', 'a2', 'b1']) queue.add(item(name))
    expect(queue.take()?.name).toBe('a1')
    queue.add(item('c1'))
    expect(drain(queue)).toBe('b1 a2 c1')
  })

  it('gives those at half priority every second turn of a client, apart from the others of theirs', () => {
    const queue = new FairQueue<ReturnType<typeof item> & { isHalf?: boolean }>()
    for (const name of ['a1', 'a2', 'a3']) queue.add({ ...item(name), isHalf: true })
    for (const name of ['a4', 'a5', 'b1', 'b2', 'b3', 'b4']) queue.add(item(name))
    expect(drain(queue)).toBe('a4 b1 a1 a5 b2 b3 a2 b4 a3')
  })

  it('keeps nobody waiting where only those at half priority may be served', () => {
    const queue = new FairQueue<ReturnType<typeof item> & { isHalf?: boolean }>()
    queue.add(item('b1'))
    queue.add({ ...item('a1'), isHalf: true })
    expect(queue.take((client) => client === 'a')?.name).toBe('a1')
    expect([queue.has('a'), queue.has('b')]).toEqual([false, true])
  })

  it('removes a waiting item once', () => {
    const queue = new FairQueue<ReturnType<typeof item>>()
    const gone = item('a1')
    queue.add(gone)
    queue.add(item('a2'))
    expect([queue.remove(gone), queue.remove(gone), queue.size]).toEqual([true, false, 1])
    expect(drain(queue)).toBe('a2')
  })

  it('never lets a client be served twice while another that waited longer is not served', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 30 }), (clients) => {
        const queue = new FairQueue<ReturnType<typeof item>>()
        clients.forEach((client, index) => queue.add(item(`${client}${index}`)))
        const served = drain(queue)
          .split(' ')
          .filter(Boolean)
          .map((name) => name.slice(0, 1))
        const rounds = Math.max(0, ...['a', 'b', 'c'].map((name) => clients.filter((client) => client === name).length))
        let position = 0
        for (let round = 0; round < rounds; round++) {
          const due = ['a', 'b', 'c'].filter((name) => clients.filter((client) => client === name).length > round)
          expect(served.slice(position, position + due.length).toSorted()).toEqual(due)
          position += due.length
        }
        expect(position).toBe(clients.length)
      }),
    )
  })
})

it('says in which place an item is served', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 30 })
  fc.assert(
    fc.property(names, fc.nat(10), (clients, served) => {
      const queue = new FairQueue<ReturnType<typeof item>>()
      const items = clients.map((client, index) => item(`${client}${index}`))
      for (const each of items) queue.add(each)
      for (let count = 0; count < served; count++) queue.take()
      const places = new Map(items.map((each) => [each.name, queue.placeOf(each)]))
      for (let place = 1, next = queue.take(); next; next = queue.take()) {
        expect(places.get(next.name)).toBe(place++)
        places.delete(next.name)
      }
      expect([...places.values()].every((place) => place === undefined)).toBe(true)
    }),
  )
})
