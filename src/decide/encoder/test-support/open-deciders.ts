import { afterAll, afterEach, beforeAll } from 'vitest'
import { fixtureFolder } from '../../../../test/helpers/language-model-fixture.ts'
import { type Backend, createCpuBackend } from '../../../backends/index.ts'
import type { ModelFiles } from '../../../models/files/model-files.ts'
import { openFolder } from '../../../models/files/model-folder.ts'
import { type DecisionRequest, parseDecisionRequest } from '../../../schemas/index.ts'
import { type Decider, openDecider } from '../../index.ts'

export const context = { turn: async () => {} }

export function ask(state: unknown, question: unknown): DecisionRequest {
  return parseDecisionRequest({ state, questions: { q: question } })
}

/**
 * Opens models of fixtures for the tests of a file, each until its test is over.
 *
 * @returns takes the name of the fixture, what its files are to be otherwise, and what the backend is to be otherwise
 */
export function openDeciders() {
  let backend: Backend
  const opened: Decider[] = []
  beforeAll(async () => {
    backend = await createCpuBackend({ threads: 1 })
  })
  afterEach(async () => {
    for (const decider of opened.splice(0)) await decider.dispose()
  })
  afterAll(() => backend.dispose())
  return async (name: string, change: Partial<ModelFiles> = {}, on = (plain: Backend) => plain): Promise<Decider> => {
    const files = { ...openFolder(fixtureFolder(name)), ...change }
    const decider = await openDecider({ backend: on(backend), files })
    opened.push(decider)
    return decider
  }
}
