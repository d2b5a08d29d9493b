import { afterAll, beforeAll, expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { furthest } from '../../../test/helpers/furthest.ts'
import { fixtureFolder } from '../../../test/helpers/language-model-fixture.ts'
import { openFolder } from '../../models/files/model-folder.ts'
import { parseDecisionRequest } from '../../schemas/index.ts'
import { type Decider, openDecider } from '../index.ts'

/** Width of the fixture's hidden states. */
const WIDTH = 32
const URGENT = { type: 'noul', instructions: 'is it urgent?' } as const
const TEAM = {
  type: 'choice',
  instructions: 'which team?',
  criteria: { billing: 'payments', tech: null, sales: 'offers and prices' },
} as const

const backend = await cpuBackend()
let decider: Decider
beforeAll(async () => {
  decider = await openDecider({ backend, files: openFolder(fixtureFolder('bert-tree')) })
})
afterAll(() => decider.dispose())

async function readFeatures(state: string, questions: Record<string, unknown>, names: readonly string[]) {
  const request = { ...parseDecisionRequest({ state, questions }), features: names }
  const { features = {} } = await decider.decide(request, { turn: async () => {} })
  return Object.fromEntries(Object.entries(features).map(([name, rows]) => [name, rowsOf(rows)]))
}

function rowsOf(features: Float32Array): number[][] {
  return Array.from({ length: features.length / WIDTH }, (_, row) => [
    ...features.subarray(row * WIDTH, (row + 1) * WIDTH),
  ])
}

it('are given of the questions that are named, and of none else', async () => {
  const questions = { urgent: URGENT, team: TEAM }
  const plain = await decider.decide(parseDecisionRequest({ state: 'save it', questions }), { turn: async () => {} })
  expect(plain).not.toHaveProperty('features')
  const { team, ...others } = await readFeatures('save it', questions, ['team', 'unknown'])
  expect(others).toEqual({})
  expect(team).toHaveLength(1 + 3)
  expect(team![1]).not.toEqual(team![2])
})

it('are those of each option, in whatever order the options are and whatever else is asked', async () => {
  const alone = await readFeatures('the app crashes.', { team: TEAM }, ['team'])
  const { sales, tech, billing } = TEAM.criteria
  const turned = { ...TEAM, criteria: { sales, tech, billing } }
  const asked = await readFeatures('the app crashes.', { urgent: URGENT, team: turned, also: TEAM }, ['team', 'also'])
  const [whole, first, second, third] = asked['team']!
  expect(furthest([whole!, third!, second!, first!].flat(), alone['team']!.flat())).toBeLessThan(1e-5)
  expect(furthest(asked['also']!.flat(), alone['team']!.flat())).toBeLessThan(1e-5)
})

it('are pooled over the windows of a long state', async () => {
  const long = await readFeatures('the app crashes when i press save. '.repeat(60), { urgent: URGENT }, ['urgent'])
  const short = await readFeatures('the app crashes when i press save.', { urgent: URGENT }, ['urgent'])
  // The last operation of the encoder is a norm: a mean of rows that it made has no larger values than they.
  const largest = (rows: readonly number[][]) => Math.max(...rows.flat().map(Math.abs))
  expect(long['urgent']).toHaveLength(3)
  expect(largest(long['urgent']!)).toBeLessThan(2 * largest(short['urgent']!))
  expect(largest(long['urgent']!)).toBeGreaterThan(0.5)
})
