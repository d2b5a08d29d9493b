import { expect, it } from 'vitest'
import type { ListeningOptions } from '../../engine/calls/call-options.ts'
import type { QueuedData } from '../queued-call.ts'
import { PLAINTEXT } from '../sealer.ts'
import { PendingCall } from './pending-call.ts'

/** A call that has its answer. */
function answer(options: ListeningOptions) {
  const call = new PendingCall('1', 'decide', {} as QueuedData, options)
  if (options.onProgress) call.report({ stage: 'reading', done: 1, total: 1 })
  const outcome = { response: 'answered', timings: { model: 'tiny', computeMs: 1 } }
  call.end(JSON.stringify(outcome), PLAINTEXT)
  return call.ended
}

it.each(['onProgress', 'onTimings'])('what an async %s throws after the answer is a warning', async (listener) => {
  let fail = () => {}
  const failing = new Promise<never>((_, reject) => (fail = () => reject(new Error('the socket is closed'))))
  const warned = new Promise((resolve) => process.once('warning', resolve))
  expect(await answer({ [listener]: () => failing })).toBe('answered')
  fail()
  expect(await warned).toMatchObject({ message: 'the socket is closed' })
})

it('what onTimings throws ends the call with just that', async () => {
  const failure = new Error('no disk')
  const onTimings = () => {
    throw failure
  }
  await expect(answer({ onTimings })).rejects.toBe(failure)
})
