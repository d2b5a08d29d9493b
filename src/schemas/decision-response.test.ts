import { describe, expect, it } from 'vitest'
import { checkDecisionResponse } from '../../test/helpers/check-decision-response.ts'
import { type DecisionResponse, decisionResponseSchema, parseDecisionRequest } from './index.ts'

const request = parseDecisionRequest(
  JSON.parse(`{
  "state": "x",
  "questions": {
    "__proto__": { "type": "choice", "criteria": { "constructor": null, "__proto__": null, "b": null } },
    "noul": { "type": "noul", "instructions": "x" },
    "score": { "type": "score", "criteria": ["calm", { "is": "annoyed" }, "furious"], "min_confidence": 0.5 }
  }
}`),
)
const good = `{
  "model": "decide-mini",
  "answers": {
    "__proto__": { "type": "choice", "choice": "__proto__", "confidence": 0.4,
      "probabilities": { "constructor": 0.3, "__proto__": 0.6, "b": 0.1 } },
    "noul": { "type": "noul", "noul": 0.25 },
    "score": { "type": "score", "score": 1.2, "confidence": 0.4, "decided": false,
      "legend": { "0": "calm", "1": { "is": "annoyed" }, "2": "furious" },
        "probabilities": { "0": 0.1, "1": 0.6, "2": 0.3 } }
  },
  "usage": { "input_tokens": 12, "output_tokens": 0 },
  "latency_ms": 3
}`
const changed = (from: string, to: string): DecisionResponse => {
  expect(good).toContain(from)
  return JSON.parse(good.replace(from, to))
}

describe('decisionResponseSchema', () => {
  it('keeps names such as __proto__ in answers and probabilities', () => {
    const parsed = decisionResponseSchema.parse(JSON.parse(good))
    expect(Object.keys(parsed.answers)).toEqual(['__proto__', 'noul', 'score'])
    expect(JSON.stringify(parsed)).toContain('"__proto__":0.6')
  })

  it.each([
    ['"model": "decide-mini"', '"model": 5'],
    ['"noul": 0.25', '"noul": 1.1'],
    ['"noul": 0.25', '"noul": -0.1'],
    ['"constructor": 0.3', '"constructor": "x"'],
    ['"constructor": 0.3', '"constructor": 1e999'],
    ['"input_tokens": 12', '"input_tokens": 1.5'],
    ['"input_tokens": 12', '"input_tokens": -1'],
    ['"latency_ms": 3', '"latency_ms": 3.5'],
    ['"type": "noul"', '"type": "yes"'],
    ['"confidence": 0.4,', ''],
    ['"score": 1.2', '"score": -1'],
    ['"0": "calm"', '"0": null'],
    ['"decided": false', '"decided": 0'],
  ])('refuses %s as %s', (from, to) => {
    expect(decisionResponseSchema.safeParse(changed(from, to)).success).toBe(false)
  })

  it('leaves out fields it does not know', () => {
    const later = changed('"latency_ms"', '"x_new": 1, "latency_ms"')
    expect(decisionResponseSchema.parse(later)).not.toHaveProperty('x_new')
  })
})

describe('checkDecisionResponse', () => {
  it('passes a response that is right', () => {
    expect(() => checkDecisionResponse(request, JSON.parse(good))).not.toThrow()
  })

  it.each([
    ['probabilities do not sum to 1', '"b": 0.1', '"b": 0.100001'],
    ['the choice is not the largest', '"choice": "__proto__"', '"choice": "b"'],
    ['the choice is not an option', '"choice": "__proto__"', '"choice": "toString"'],
    ['the confidence is not by its formula', '"confidence": 0.4', '"confidence": 0.41'],
    ['the score is not the mean', '"score": 1.2', '"score": 1.21'],
    ['the legend is changed', '"is": "annoyed"', '"is": "cross"'],
    ['decided is wrong', '"decided": false', '"decided": true'],
    ['decided is missing', '"decided": false,', ''],
    ['a noul has a confidence nobody asked for', '"noul": 0.25', '"noul": 0.25, "confidence": 0.5'],
    ['an option is missing', '"constructor": 0.3, "__proto__": 0.6, "b": 0.1', '"__proto__": 0.6, "b": 0.4'],
    ['an answer is missing', '"noul": { "type": "noul", "noul": 0.25 },', ''],
    ['there is output usage', '"output_tokens": 0', '"output_tokens": 1'],
    ['there is a field too many', '"latency_ms": 3', '"latency_ms": 3, "x": 1'],
  ])('fails when %s', (_, from, to) => {
    expect(() => checkDecisionResponse(request, changed(from, to))).toThrow()
  })
})
