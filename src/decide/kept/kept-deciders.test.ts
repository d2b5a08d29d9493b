import { afterEach, beforeAll, afterAll, describe, expect, it } from 'vitest'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { TINY_MANIFEST, writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { type Backend, createCpuBackend } from '../../backends/index.ts'
import { withSessions } from '../../backends/with-sessions.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { type Decider, openDecider } from '../index.ts'
import { KeptStates } from './kept-states.ts'

const URGENT = { type: 'noul', instructions: 'is it urgent?' } as const
const TEAM = { type: 'choice', instructions: 'which team?', criteria: { billing: null, tech: null, other: null } }
const LONG_STATE = Array.from({ length: 40 }, (_, line) => `line ${line}: the app crashes when i save.`).join(' ')

let backend: Backend
/** Passes over windows. */
let trunks = 0
/** Whether everything that was freed was zero. */
let allZero = true
beforeAll(async () => {
  const plain = await createCpuBackend({ threads: 1 })
  backend = withSessions(plain, {
    async createSession(graph) {
      const session = await plain.createSession(graph)
      const isTrunk = !session.inputNames.includes('rows') && session.inputNames.includes('input_ids')
      // A language model's session is for windows and questions, and only windows have their keys read.
      const isShared = session.inputNames.includes('attention_bias')
      return {
        ...session,
        run(feeds, outputs) {
          if (isTrunk || (isShared && outputs?.includes('key.0'))) trunks++
          return session.run(feeds, outputs)
        },
        free(results) {
          for (const { data } of Object.values(results)) allZero &&= [...data].every((value) => value === 0)
          session.free(results)
        },
      }
    },
  })
})
afterAll(() => backend.dispose())

const MODELS = {
  'a tree': async () => fixtureFolder('bert-tree'),
  'a language model': () =>
    writeTinyBundle({ manifest: { ...TINY_MANIFEST, window: { tokens: 200, overlap: 8, sharpness: 4 } } }),
}

let folder: string
let decider: Decider
let kept: KeptStates
async function open(bytes = 1e9): Promise<void> {
  kept = new KeptStates({ bytes, seconds: 60 })
  decider = await openDecider({ backend, files: openFolder(folder), kept })
}
afterEach(() => decider.dispose())

interface Asked {
  readonly keepFor?: string | undefined
  readonly state?: string
  readonly questions?: Record<string, unknown>
}

/** The logits, how many windows were read for them, and the progress that was told. */
async function ask({ keepFor, state = LONG_STATE, questions = { URGENT, TEAM } }: Asked = {}) {
  const before = trunks
  const progress: { done: number; total: number }[] = []
  const context = {
    turn: async () => {},
    onProgress: ({ done, total }: { done: number; total: number }) => void progress.push({ done, total }),
    keepFor,
  }
  const logits = await decider.logits(parseDecisionRequest({ state, questions }), context)
  return { logits, read: trunks - before, progress }
}

describe.each(Object.entries(MODELS))('a state that comes again, to %s', (_, make) => {
  beforeAll(async () => {
    folder = await make()
  })

  it('is not read again, and its answers are the same to the last bit', async () => {
    await open()
    const first = await ask({ keepFor: 'ana' })
    expect(first.read).toBeGreaterThan(1)
    const again = await ask({ keepFor: 'ana' })
    expect([again.read, again.logits]).toEqual([0, first.logits])
    expect(first.progress.length - again.progress.length).toBe(first.read)
    for (const { progress } of [first, again]) {
      const total = progress.length - 1
      expect(progress).toEqual(progress.map((_, done) => ({ done, total })))
    }
    const other = { ...URGENT, instructions: 'does the app crash?' }
    const [alone, behind] = [await ask({ questions: { other } }), await ask({ keepFor: 'ana', questions: { other } })]
    expect([alone.read, behind.read, behind.logits]).toEqual([first.read, 0, alone.logits])
  })

  it('counts as before in usage', async () => {
    await open()
    const request = parseDecisionRequest({ state: LONG_STATE, questions: { URGENT } })
    const context = { turn: async () => {}, keepFor: '' }
    const [first, again] = [await decider.decide(request, context), await decider.decide(request, context)]
    expect(again.usage).toEqual(first.usage)
    expect(again.answers).toEqual(first.answers)
  })

  it('is read again for another tenant, and where nothing may be kept', async () => {
    await open()
    const { read, logits } = await ask({ keepFor: 'ana' })
    const others = [await ask({ keepFor: 'bob' }), await ask({ keepFor: '' }), await ask(), await ask()]
    expect(others.map((other) => other.read)).toEqual([read, read, read, read])
    for (const other of others) expect(other.logits).toEqual(logits)
    expect(kept.size.windows).toBe(3 * read)
  })

  it('is read again in the windows that found no room, and in these alone', async () => {
    await open()
    const { read, logits } = await ask({ keepFor: 'ana' })
    const bytes = kept.size.bytes
    await decider.dispose()
    await open(Math.floor((bytes * (read - 0.5)) / read))
    await ask({ keepFor: 'ana' })
    expect(kept.size.windows).toBe(read - 1)
    for (let turn = 0; turn < 3; turn++) {
      const again = await ask({ keepFor: 'ana' })
      expect([again.read, again.logits]).toEqual([1, logits])
    }
  })

  it('is kept of calls at the same time once', async () => {
    await open()
    const calls = await Promise.all([ask({ keepFor: 'ana' }), ask({ keepFor: 'ana' })])
    expect(calls[1].logits).toEqual(calls[0].logits)
    const { read } = await ask({ keepFor: 'bob' })
    expect(kept.size.windows).toBe(2 * read)
  })

  it('is kept up to the window at which a call was stopped', async () => {
    await open()
    const stop = new Error('stop')
    const request = parseDecisionRequest({ state: LONG_STATE, questions: { URGENT } })
    let turns = 0
    const turn = async () => {
      // The second turn is that of the questions, behind a window that was just read.
      if (++turns === 2) throw stop
    }
    await expect(decider.logits(request, { turn, keepFor: 'ana' })).rejects.toBe(stop)
    expect(kept.size).toEqual({ bytes: 0, windows: 0 })
    const { read } = await ask({ keepFor: 'ana' })
    const always = async () => {
      throw stop
    }
    await expect(decider.logits(request, { turn: always, keepFor: 'ana' })).rejects.toBe(stop)
    // What was lent to the call that stopped can be used, and dropped.
    expect((await ask({ keepFor: 'ana' })).read).toBe(0)
    await decider.dispose()
    expect([read > 1, kept.size]).toEqual([true, { bytes: 0, windows: 0 }])
  })

  it('all that is freed is zero, and nothing is left of a model that is closed', async () => {
    await open()
    await ask({ keepFor: 'ana' })
    await ask({ keepFor: 'ana', state: 'save it' })
    expect(kept.size.bytes).toBeGreaterThan(0)
    await decider.dispose()
    expect(kept.size).toEqual({ bytes: 0, windows: 0 })
    expect(allZero).toBe(true)
  })
})

it('a model whose windows are larger than what may be kept is refused with both sizes', async () => {
  folder = fixtureFolder('bert-tree')
  await open()
  const files = openFolder(folder)
  const tooSmall = new KeptStates({ bytes: 1000, seconds: 60 })
  await expect(openDecider({ backend, files, kept: tooSmall })).rejects.toMatchObject({
    code: 'invalid_request',
    path: 'keepStates.bytes',
    reason: expect.stringMatching(/^a window of this model takes \d+ bytes, and a worker may keep 1000;/),
  })
})
