import { rm } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { writeTinyBundle } from '../../../test/helpers/tiny-bundle.ts'
import { type Backend } from '../../backends/index.ts'
import { withSessions } from '../../backends/with-sessions.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { openDecider } from '../index.ts'

const REQUEST = parseDecisionRequest({
  state: 'I was charged twice for invoice 4711! '.repeat(40),
  questions: {
    urgent: { type: 'noul', instructions: 'Does this need an answer today?' },
    team: { type: 'choice', instructions: 'Who should handle it?', criteria: { billing: 'Payments', tech: null } },
  },
})

const backend = await cpuBackend()

/** Logits of a model, and how many sessions it opened. */
async function read(folder: string, selfTest?: Backend['selfTest']) {
  let sessions = 0
  const counting = withSessions(backend, {
    createSession: (model) => {
      sessions++
      return backend.createSession(model)
    },
  })
  const decider = await openDecider({
    backend: selfTest ? { ...counting, selfTest } : counting,
    files: openFolder(folder),
  })
  const logits = await decider.logits(REQUEST, { turn: async () => {} })
  await decider.dispose()
  return { sessions, logits }
}

it('a language model on a processor has one session, one copy of its weights, and reads what one with two reads', async () => {
  const folder = await writeTinyBundle({ seed: 5 })
  const shared = await read(folder)
  const separate = await read(folder, { operators: 0, cases: 0, worst: [], failures: [] } as never)
  expect([shared.sessions, separate.sessions]).toEqual([1, 2])
  expect(shared.logits).toEqual(separate.logits)
  const values = shared.logits.flat(2).flatMap((window) => [...window])
  expect(Math.max(...values) - Math.min(...values)).toBeGreaterThan(1e-3)
  await rm(folder, { recursive: true })
})
