import { afterEach, describe, expect, it } from 'vitest'
import type { Progress } from '../../jobs/job-context.ts'
import type { Question } from '../../schemas/index.ts'
import type { CallOptions } from '../calls/call-options.ts'
import { createEngine } from '../create-engine.ts'
import type { Engine } from '../engine.ts'
import type { Connect } from '../pool/connection.ts'
import { forgetOnClose } from '../pool/forget-on-close.ts'
import type { ToWorker } from '../pool/protocol.ts'
import { resolveOptions } from './resolve-options.ts'

const state = Array.from({ length: 60 }, (_, line) => `${line}: the printer on floor ${line} has no paper.`).join(' ')
const QUESTIONS: Record<'first' | 'second', Record<string, Question>> = {
  first: { printer: { type: 'noul', instructions: 'Is it about printers?' } },
  second: { angry: { type: 'noul', instructions: 'Is the writer angry?' } },
}

describe.each([{ worker: false }, { worker: true }])('keepStates with worker: $worker', ({ worker }) => {
  let engine: Engine
  afterEach(() => engine.dispose())

  /** The answers, and of how many passes they were. */
  async function ask(questions: keyof typeof QUESTIONS, options: CallOptions = {}) {
    let passes = 0
    const onProgress = ({ stage, total }: Progress) => {
      if (stage === 'reading') passes = total
    }
    const { answers, usage } = await engine.decide(
      { state, questions: QUESTIONS[questions] },
      { ...options, onProgress },
    )
    return { answers, usage, passes }
  }

  it('reads a state once for each client, unless a call says not to', async () => {
    engine = await createEngine({ worker, threads: 1, keepStates: { bytes: 200e6 } })
    const fresh = await ask('second', { keepState: false })
    const first = await ask('first')
    const again = await ask('second')
    expect(again).toEqual({ ...fresh, passes: fresh.passes / 2 })
    expect(await ask('second', { client: 'ana' })).toEqual(fresh)
    expect(await ask('second', { client: 'ana' })).toEqual(again)
    expect(await ask('second', { client: 'ana', keepState: false })).toEqual(fresh)
    expect(first.passes).toBe(fresh.passes)
  })

  it('keeps nothing where it is not asked for', async () => {
    engine = await createEngine({ worker, threads: 1 })
    expect(await ask('first')).toEqual(await ask('first'))
  })
})

it('is shared out to workers, and refused where a worker could not keep a window', () => {
  expect(resolveOptions({ workers: 2, keepStates: { bytes: 64e6 } }, {}).settings.keepStates).toEqual({
    bytes: 32e6,
    seconds: 60,
  })
  expect(() => resolveOptions({ workers: 2, keepStates: { bytes: 19e6 } }, {})).toThrow(
    'keepStates.bytes: must be 20000000 or more, for 2 workers, got 19000000',
  )
  expect(() => resolveOptions({ keepStates: { bytes: 64e6, seconds: 0 } }, {})).toThrow(
    'keepStates.seconds: must be a whole number from 1 to 86400, got 0',
  )
  expect(() => resolveOptions({ keepStates: true as never }, {})).toThrow('keepStates: must be an object, got true')
})

it('has a worker forget before it is closed', async () => {
  const steps: string[] = []
  const connect: Connect = ({ onMessage }) => ({
    post(message: ToWorker) {
      steps.push(message.type)
      setTimeout(() => {
        steps.push('forgotten')
        onMessage({ type: 'forgotten' })
      }, 5)
    },
    setBusy: (busy) => void steps.push(`busy ${busy}`),
    close: async () => void steps.push('closed'),
  })
  const connection = forgetOnClose(connect)({ onMessage: ({ type }) => void steps.push(type), onCrash: () => {} })
  await connection.close()
  expect(steps).toEqual(['busy true', 'forget', 'forgotten', 'closed'])
})
