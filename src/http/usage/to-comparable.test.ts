import { expect, it } from 'vitest'
import { toComparable } from './to-comparable.ts'

/** A batch of two million values, as many as one may have. */
const lines = Array.from({ length: 20 }, (_, at) => ({
  at,
  value: { state: Array.from({ length: 100_000 }, () => 0) },
}))

/** The least of some times, as another process that takes the processor only adds to it. */
function leastMs(work: () => void): number {
  const times = Array.from({ length: 4 }, () => {
    const start = performance.now()
    work()
    return performance.now() - start
  })
  return Math.min(...times)
}

it('pictures of a request are told apart by what they hold', () => {
  const of = (...bytes: number[]) => toComparable({ prompt: 'x', image: Uint8Array.from(bytes) })
  expect(of(1, 2, 3)).toBe(of(1, 2, 3))
  expect(of(1, 2, 3)).not.toBe(of(1, 2, 4))
})

it('no picture is written as a table of numbers, wherever one may be', () => {
  const image = Uint8Array.from([1, 2, 3])
  const form = { form: [{ name: 'image', isFile: true, value: image }] }
  const json = { json: { image, mask: image, images: [image], control: { image, scale: 1 } } }
  for (const body of [form, json, json.json]) expect(toComparable(body)).not.toContain('"0":1')
})

it('all else is as JSON has it, in its order', () => {
  const json: unknown = JSON.parse('{"b":{"__proto__":{"c":[[{"d":null}]]}},"1":"x","a":[{"e":{"f":[1,true]}}]}')
  expect(toComparable({ json, gone: undefined })).toBe(JSON.stringify({ json }))
})

it('a large batch is written about as fast as JSON is', () => {
  const plain = leastMs(() => JSON.stringify({ json: lines }))
  expect(leastMs(() => toComparable({ json: lines }))).toBeLessThan(5 * plain)
})
