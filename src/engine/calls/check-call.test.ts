import { getEventListeners } from 'node:events'
import { expect, it } from 'vitest'
import { decide, decideMany } from '../default-engine.ts'
import { LazyEngine } from '../lazy-engine.ts'
import { startFakeEngine } from '../test-support/engines.ts'
import { checkCall } from './check-call.ts'

const REQUEST = { state: 'x', questions: { q: { type: 'noul', instructions: 'Is it x?' } } } as const

it.each([
  ['decide', { whenBusy: 'reject' }, "whenBusy: must be one of wait, refuse, got 'reject'"],
  ['decide', { client: 5 }, 'client: must be a text, got 5'],
  [
    'decide',
    { onPreview: () => {} },
    'onPreview: is no option of a call of decide, whose request has state and questions; those are signal, onProgress',
  ],
  ['decide', null, 'options: must be an object, got null'],
  ['generateImage', { step: 4 }, 'step: is no option of a call of generateImage'],
  [
    'generateImage',
    { seed: 7 },
    'seed: is no option of a call of generateImage, whose request has the seed; those are',
  ],
  ['editImage', { steps_: 4 }, 'negativePrompt, control, seed, strength'],
  ['load', { keepOpen: 'false' }, "keepOpen: must be true or false, got 'false'"],
  ['load', { client: 'a' }, 'client: is no option of a call of load; those are signal, onProgress, keepOpen'],
  // As where questions are given as a second argument.
  [
    'decide',
    { angry: { type: 'noul' } },
    'angry: is no option of a call of decide, whose request has state and questions',
  ],
  ['decideMany', { concurency: 4 }, 'concurency: is no option of a call of decideMany'],
] as const)('refuses an option of %s that nothing reads: %j', (kind, options, message) => {
  expect(() => checkCall(kind, options as object)).toThrow(message)
})

it('refuses what is no name of a model, and options that are none, before anything is taken of them', async () => {
  await using engine = await startFakeEngine({ worker: false })
  const none = null as never
  await expect(engine.load(none)).rejects.toMatchObject({ message: 'name: must be the name of a model, got null' })
  await expect(engine.load('')).rejects.toMatchObject({ code: 'invalid_request', path: 'name' })
  const refusal = { code: 'invalid_request', message: 'options: must be an object, got null' }
  await expect(engine.load('decide-latest', none)).rejects.toMatchObject(refusal)
  await expect(engine.generateImage({ prompt: 'x' }, none)).rejects.toMatchObject(refusal)
  await expect(engine.editImage({ prompt: 'x', image: 'x' }, none)).rejects.toMatchObject(refusal)
})

it('takes what is not set, and what the library itself adds under a symbol', () => {
  const options = { signal: undefined, step: undefined, [Symbol('checked')]: true }
  expect(() => checkCall('decide', options)).not.toThrow()
})

it('refuses a signal that is none before the shared engine is started', async () => {
  const options = { signal: new AbortController() as never }
  const refusal = { path: 'signal', message: 'signal: must be an AbortSignal, got an object' }
  await expect(decide(REQUEST, options)).rejects.toMatchObject(refusal)
  await expect(decideMany([REQUEST], options).next()).rejects.toMatchObject(refusal)
})

it('listens once to a signal that many calls share, and to the end', async () => {
  const engine = new LazyEngine(() => new Promise(() => {}))
  const controller = new AbortController()
  const calls = Array.from({ length: 20 }, () => engine.get(controller.signal))
  expect(getEventListeners(controller.signal, 'abort')).toHaveLength(1)
  controller.abort('enough')
  const outcomes = await Promise.allSettled(calls)
  for (const outcome of outcomes) {
    expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'aborted', cause: 'enough' } })
  }
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})
