import { createEngine } from '../../src/engine/index.ts'
import type { DecisionRequest, ImageGenerationRequestInput } from '../../src/schemas/index.ts'

const QUESTIONS = {
  urgent: { type: 'noul', instructions: 'Is it urgent?' },
  team: {
    type: 'choice',
    instructions: 'Who handles it?',
    criteria: { billing: 'Money', tech: 'Bugs', other: 'Else' },
  },
} as const

/** A request and what a quiet engine answers to it, without the time it took. */
export type Case =
  | { readonly kind: 'decide'; readonly request: DecisionRequest; readonly answer: string }
  | { readonly kind: 'generateImage'; readonly request: ImageGenerationRequestInput; readonly answer: string }

/** Everything of an answer but its time. */
export function withoutTime(response: object): string {
  return JSON.stringify({ ...response, latency_ms: 0 })
}

/** Asks an engine in this thread, one call after another. */
export async function askQuietly(models: Readonly<Record<string, string>>): Promise<Case[]> {
  await using engine = await createEngine({ backend: 'cpu', threads: 1, worker: false, models })
  const cases: Case[] = []
  for (const model of Object.keys(models)) {
    for (const length of [1, 4, 20]) {
      const state = `${model}: ${'the invoice was paid twice, and nobody answers. '.repeat(length)}`
      const request = { model, state, questions: QUESTIONS }
      cases.push({ kind: 'decide', request, answer: withoutTime(await engine.decide(request)) })
    }
  }
  for (const seed of [1, 2]) {
    const request = { prompt: 'a red apple', size: '256x256', seed } as const
    cases.push({
      kind: 'generateImage',
      request,
      answer: withoutTime(await engine.generateImage(request, { steps: 1 })),
    })
  }
  return cases
}
