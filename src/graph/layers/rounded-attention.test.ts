import { expect, it } from 'vitest'
import { cpuBackend } from '../../../test/helpers/cpu-backend.ts'
import { furthest } from '../../../test/helpers/furthest.ts'
import { drawFloats } from '../../../test/helpers/pseudo-random.ts'
import { float32, runGraph } from '../../../test/helpers/run-graph.ts'
import { GraphBuilder } from '../../onnx/graph-builder.ts'
import { roundedAttention } from './rounded-attention.ts'

const HEADS = { count: 3, size: 32 }
const WIDTH = HEADS.count * HEADS.size

/** No graph has this form there. */
const SATURATES = 'x64 processors without VNNI add pairs of 8-bit products in 16 bits, which overflow'

const backend = await cpuBackend()

interface Rows {
  readonly query: Float32Array
  readonly key: Float32Array
  readonly value: Float32Array
}

function draw(queries: number, keys: number): Rows {
  return {
    query: drawFloats('query', queries * WIDTH, 0, 1),
    key: drawFloats('key', keys * WIDTH, 0, 1),
    value: drawFloats('value', keys * WIDTH, 0, 1),
  }
}

async function attend(rows: Rows): Promise<Float32Array> {
  const g = new GraphBuilder('attention')
  const [query, key, value] = (['query', 'key', 'value'] as const).map((name) =>
    g.input(name, 'float32', [`${name}_rows`, WIDTH]),
  )
  g.output('attended', roundedAttention(g, query!, key!, value!, HEADS), 'float32', ['query_rows', WIDTH])
  const feeds = Object.entries(rows).map(([name, data]) => [name, float32(data, data.length / WIDTH, WIDTH)])
  const { attended } = await runGraph(backend, g.build(), Object.fromEntries(feeds))
  expect(attended!.dims).toEqual([rows.query.length / WIDTH, WIDTH])
  return attended!.data as Float32Array
}

/** The same in double precision. */
function compute({ query, key, value }: Rows): Float64Array {
  const result = new Float64Array(query.length)
  const keys = key.length / WIDTH
  for (let start = 0; start < query.length; start += HEADS.size) {
    const head = start % WIDTH
    const weights = Array.from({ length: keys }, (_, t) => {
      let score = 0
      for (let i = 0; i < HEADS.size; i++) score += query[start + i]! * key[t * WIDTH + head + i]!
      return Math.exp(score / Math.sqrt(HEADS.size))
    })
    const sum = weights.reduce((a, b) => a + b, 0)
    for (const [t, weight] of weights.entries()) {
      for (let i = 0; i < HEADS.size; i++) result[start + i]! += (weight / sum) * value[t * WIDTH + head + i]!
    }
  }
  return result
}

async function errorOf(rows: Rows): Promise<number> {
  const [got, wanted] = [await attend(rows), compute(rows)]
  const square = (values: Float64Array) => values.reduce((sum, value) => sum + value ** 2, 0)
  return Math.sqrt(square(wanted.map((value, i) => value - got[i]!)) / square(wanted))
}

it.for([
  [1, 5],
  [70, 70],
  [256, 40],
  [257, 40],
  [600, 130],
] as const)('attends from %d rows to %d, in one band or several', async ([queries, keys], { skip }) => {
  skip(process.arch === 'x64' && !backend.fastInt8, SATURATES)
  expect(await errorOf(draw(queries, keys))).toBeLessThan(0.02)
})

it('is as near with keys and values far from zero, which lose their mean first', async () => {
  const rows = draw(40, 90)
  const shifted = {
    ...rows,
    key: rows.key.map((k, i) => k + 30 * Math.sin(i % WIDTH)),
    value: rows.value.map((v) => v + 30),
  }
  expect(await errorOf(shifted)).toBeLessThan(1e-3)
  const centred = await attend({ ...shifted, value: rows.value })
  const wanted = compute(rows)
  expect(furthest(centred, wanted)).toBeLessThan(0.1)
})

it('counts many weights that are all small', async ({ skip }) => {
  skip(process.arch === 'x64' && !backend.fastInt8, SATURATES)
  const rows = draw(8, 2000)
  // Nearly the same weight for each key, of which 1/255 is several times as large.
  const flat = { ...rows, query: rows.query.map((q) => q / 50) }
  expect(await errorOf(flat)).toBeLessThan(0.02)
})

it('is no worse for heads beside a head of large numbers', async () => {
  const rows = draw(40, 90)
  const enlarge = (values: Float32Array) => values.map((value, i) => (i % WIDTH < HEADS.size ? 20 * value : value))
  const got = await attend({ ...rows, query: enlarge(rows.query), value: enlarge(rows.value) })
  const alone = await attend(rows)
  for (const [i, value] of alone.entries()) if (i % WIDTH >= HEADS.size) expect(got[i]).toBeCloseTo(value, 5)
})

it('gives values where all queries and keys are zero, and zeros for zeros', async () => {
  const zeros = {
    query: new Float32Array(4 * WIDTH),
    key: new Float32Array(6 * WIDTH),
    value: new Float32Array(6 * WIDTH),
  }
  expect((await attend(zeros)).every((value) => value === 0)).toBe(true)
  expect((await attend({ ...zeros, value: zeros.value.map(() => 3) })).every((value) => value === 3)).toBe(true)
})
