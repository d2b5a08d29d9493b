import { expect, it } from 'vitest'
import { ChangesTogether, type MakeChanges } from './changes-together.ts'

/** A document that is replaced when it is told to be. */
function openDocument() {
  let document: string | undefined
  const held: (() => void)[] = []
  const writes: (string | undefined)[] = []
  const changes = new ChangesTogether(async (_, make: MakeChanges, signal) => {
    await new Promise<void>((resolve) => held.push(resolve))
    signal.throwIfAborted()
    const next = make(document, 0)
    if (next.document !== document) writes.push(next.document)
    document = next.document
  })
  const release = async () => {
    held.shift()!()
    await new Promise((resolve) => setImmediate(resolve))
  }
  const add = (letter: string, signal?: AbortSignal) =>
    changes.run('a', (before = '') => before + letter, signal ? { signal } : {})
  return { changes, writes, release, add }
}

it('changes that come meanwhile are made together, in their order', async () => {
  const { writes, release, add } = openDocument()
  const all = ['a', 'b', 'c', 'd'].map((letter) => add(letter))
  await release()
  await release()
  await Promise.all(all)
  expect(writes).toEqual(['a', 'abcd'])
})

it('one that is refused changes nothing and hinders no other', async () => {
  const { changes, writes, release, add } = openDocument()
  const first = add('a')
  const refused = changes.run('a', () => {
    throw new RangeError('no')
  })
  const settled = Promise.allSettled([first, refused, add('b')])
  await release()
  await release()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(writes).toEqual(['a', 'ab'])
})

it('one that was given up while it waited is not made, and the others are', async () => {
  const { writes, release, add } = openDocument()
  const controller = new AbortController()
  const all = [add('a'), add('b', controller.signal), add('c', new AbortController().signal)]
  const settled = Promise.allSettled(all)
  controller.abort(new Error('late'))
  await release()
  await release()
  expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(writes).toEqual(['a', 'ac'])
})

it('where all were given up nothing is written any more', async () => {
  const { writes, release, add } = openDocument()
  const controller = new AbortController()
  const settled = Promise.allSettled(['a', 'b', 'c'].map((letter) => add(letter, controller.signal)))
  controller.abort(new Error('late'))
  await release()
  await release()
  const reasons = (await settled).map((outcome) => outcome.status === 'rejected' && String(outcome.reason))
  expect(reasons).toEqual(Array.from({ length: 3 }, () => 'Error: late'))
  expect(writes).toEqual([])
})

it('a fault of the store is that of all that were to be written, and the next ones are tried', async () => {
  let faults = 1
  const changes = new ChangesTogether(async (_, make) => {
    await new Promise((resolve) => setImmediate(resolve))
    make(undefined, 0)
    if (faults-- > 0) throw new Error('away')
  })
  const settled = await Promise.allSettled(['x', 'y'].map((text) => changes.run('a', () => text)))
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})
