import { describe, expect, it } from 'vitest'
import type { BuiltGraph } from '../onnx/built-graph.ts'
import type { GraphMemory } from '../onnx/weigh-graph.ts'
import type { Backend } from './backend.ts'
import { inStages } from './in-stages.ts'

/** Sessions of graphs that say how many bytes they take, and the most that were open at a time. */
function fakeBackend(gates: Readonly<Record<string, Promise<void>>> = {}) {
  const events: string[] = []
  let open = 0
  const memory = { most: 0 }
  const backend: Backend = {
    name: 'cpu',
    attention: 'fused',
    precision: 'float32',
    movesHalf: true,
    async createSession({ folder, memory: { rest } = { floats: 0, rest: 0 } }) {
      open += rest
      memory.most = Math.max(memory.most, open)
      events.push(`open ${folder}`)
      return {
        inputNames: [],
        outputNames: [],
        run: async () => {
          events.push(`run ${folder}`)
          if (gates[folder!]) await gates[folder!]
          return {}
        },
        free: () => {},
        dispose: async () => {
          open -= rest
          events.push(`close ${folder}`)
        },
      }
    },
    dispose: async () => {},
  }
  return { backend, events, memory }
}

const graph = (folder: string, rest: number, others: Partial<GraphMemory> = {}): BuiltGraph => ({
  bytes: new Uint8Array(),
  folder,
  memory: { floats: 0, rest, ...others },
})

describe('sessions in stages', () => {
  it('are opened when they are run, and closed for others, the one unused for longest first', async () => {
    const { backend, events, memory } = fakeBackend()
    const staged = inStages(backend, 10)
    const [text, steps, decoder] = [
      await staged.createSession(graph('text', 6)),
      await staged.createSession(graph('steps', 7)),
      await staged.createSession(graph('decoder', 2)),
    ]
    expect(events).toEqual([])
    for (const session of [text, steps, steps, decoder, steps, text]) await session.run({})
    expect(events).toEqual([
      'open text',
      'run text',
      'close text',
      'open steps',
      'run steps',
      'run steps',
      'open decoder',
      'run decoder',
      'run steps',
      'close decoder',
      'close steps',
      'open text',
      'run text',
    ])
    expect(memory.most).toBe(9)
  })

  it('of two requests are not closed while one of them runs', async () => {
    let release = () => {}
    const { backend, events } = fakeBackend({ steps: new Promise<void>((resolve) => (release = resolve)) })
    const staged = inStages(backend, 10)
    const [text, steps] = [await staged.createSession(graph('text', 6)), await staged.createSession(graph('steps', 7))]
    const first = steps.run({})
    await text.run({})
    expect(events).toEqual(['open steps', 'run steps', 'open text', 'run text'])
    release()
    await first
    for (const session of [steps, text]) await session.run({})
    expect(events.slice(4)).toEqual(['close text', 'run steps', 'close steps', 'open text', 'run text'])
  })

  it('are closed once, whether they are open or not, and then refuse to run', async () => {
    const { backend, events } = fakeBackend()
    const staged = inStages(backend, 10)
    const [first, second] = [await staged.createSession(graph('a', 1)), await staged.createSession(graph('b', 1))]
    await first.run({})
    for (const session of [first, second, first]) await session.dispose()
    expect(events).toEqual(['open a', 'run a', 'close a'])
    await expect(first.run({})).rejects.toThrow('disposed')
  })

  it('are open from the beginning while they fit, where that is asked for', async () => {
    const { backend, events } = fakeBackend()
    const staged = inStages(backend, 10, true)
    for (const [name, bytes] of [
      ['text', 6],
      ['steps', 7],
      ['decoder', 2],
    ] as const) {
      await staged.createSession(graph(name, bytes))
    }
    expect(events).toEqual(['open text', 'open decoder'])
  })

  it('make room for what a run holds, which is kept until they are closed, and for pages of their files', async () => {
    const { backend, events } = fakeBackend()
    const staged = inStages(backend, 10, true)
    const steps = await staged.createSession(graph('steps', 4, { mapped: 1, run: { input: 'tokens', bytes: 1 } }))
    const decoder = await staged.createSession(graph('decoder', 1, { run: { input: 'latents', bytes: 0.5 } }))
    const feed = (input: string, ...dims: number[]) =>
      ({ [input]: { type: 'float32', dims, data: new Float32Array() } }) as const
    await steps.run(feed('tokens', 1, 1))
    await decoder.run(feed('latents', 2, 3))
    await steps.run(feed('tokens', 1, 1))
    expect(events.splice(0)).toEqual(['open steps', 'open decoder', 'run steps', 'run decoder', 'run steps'])
    await decoder.run(feed('latents', 2, 4))
    expect(events.splice(0)).toEqual(['close steps', 'run decoder'])
    await steps.run(feed('tokens', 1, 1))
    expect(events).toEqual(['close decoder', 'open steps', 'run steps'])
  })

  it('run where one alone is larger than the limit, and after one that could not be opened', async () => {
    const { backend, events } = fakeBackend()
    let fails = true
    const staged = inStages(
      {
        ...backend,
        createSession: async (model) => {
          if (fails) throw new Error('no memory')
          return backend.createSession(model)
        },
      },
      1,
    )
    const session = await staged.createSession(graph('large', 20))
    await expect(session.run({})).rejects.toThrow('no memory')
    fails = false
    await session.run({})
    expect(events).toEqual(['open large', 'run large'])
  })
})
