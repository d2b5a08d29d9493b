import { describe, expect, it } from 'vitest'
import { parseJson } from './parse-json.ts'

describe('parseJson', () => {
  it('reads the constants that Python writes, outside of texts', () => {
    const text = '{"low": -Infinity, "high": [Infinity], "none": NaN, "text": "\\"-Infinity\\\\", "NaN": "NaN"}'
    const wanted = { low: -Infinity, high: [Infinity], none: 'NaN', text: '"-Infinity\\', NaN: 'NaN' }
    expect(parseJson(text)).toEqual(wanted)
  })

  it.each(['', '{', '{"a": Infinite}', '{"a": "Infinity}', '{"a": +Infinity}', '"\\'])('refuses %j', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError)
  })

  it('takes no time for texts that do not end', () => {
    const started = performance.now()
    expect(() => parseJson(`{"${'\\"'.repeat(200_000)}`)).toThrow(SyntaxError)
    expect(() => parseJson(`{"${'a"'.repeat(200_000)}`)).toThrow(SyntaxError)
    expect(performance.now() - started).toBeLessThan(5000)
  })
})
