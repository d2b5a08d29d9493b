import { stripVTControlCharacters } from 'node:util'
import colors from 'picocolors'
import { afterEach, expect, it, vi } from 'vitest'
import type { DecisionResponse } from '../../schemas/index.ts'

const RESPONSE: DecisionResponse = {
  model: 'tiny',
  answers: {
    urgent: { type: 'noul', noul: 0.25, confidence: 0.5, decided: false },
    team: { type: 'choice', choice: 'b', probabilities: { a: 0.125, b: 0.875 }, confidence: 0.75 },
    mood: {
      type: 'score',
      score: 1.5,
      legend: { 0: 'bad', 1: { words: 'fair' }, 2: 'a level whose words are far longer than a line' },
      probabilities: { 0: 0, 1: 0.5, 2: 0.5 },
      confidence: 0.4,
    },
  },
  usage: { input_tokens: 42, output_tokens: 0 },
  latency_ms: 7,
}

/** The formatter with colours on or off, which picocolors decides once, for the whole process, from the environment. */
async function format(colours: boolean): Promise<string> {
  vi.resetModules()
  vi.doMock('picocolors', () => ({ default: colors.createColors(colours) }))
  const { formatDecision } = await import('./format-decision.ts')
  return formatDecision(RESPONSE)
}

afterEach(() => {
  vi.doUnmock('picocolors')
  vi.resetModules()
})

it('shows the verdict, the distribution and what is undecided of every answer', async () => {
  const lines = (await format(false)).split('\n')
  expect(lines).toEqual([
    'urgent: no  confidence 0.50  undecided',
    `  yes  ${'█'.repeat(6)}${'░'.repeat(18)}  25.0 %`,
    `  no   ${'█'.repeat(18)}${'░'.repeat(6)}  75.0 %`,
    '',
    'team: b  confidence 0.75',
    `  a  ${'█'.repeat(3)}${'░'.repeat(21)}  12.5 %`,
    `  b  ${'█'.repeat(21)}${'░'.repeat(3)}  87.5 %`,
    '',
    'mood: 1.50 of 2  confidence 0.40',
    `  ${'0 bad'.padEnd(36)}  ${'░'.repeat(24)}   0.0 %`,
    `  ${'1 {"words":"fair"}'.padEnd(36)}  ${'█'.repeat(12)}${'░'.repeat(12)}  50.0 %`,
    `  2 a level whose words are far longe…  ${'█'.repeat(12)}${'░'.repeat(12)}  50.0 %`,
    '',
    'tiny · 42 tokens · 7 ms',
  ])
})

it('colours only where colours are on, and says the same', async () => {
  const coloured = await format(true)
  expect(coloured).toContain('\u001B[')
  expect(stripVTControlCharacters(coloured)).toBe(await format(false))
})
