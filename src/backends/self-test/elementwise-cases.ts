import type { GraphBuilder, Value } from '../../onnx/graph-builder.ts'
import {
  abs,
  add,
  bitwiseAnd,
  cast,
  div,
  gelu,
  greater,
  maximum,
  minimum,
  mul,
  relu,
  shiftRight,
  silu,
  sqrt,
  sub,
  tanh,
} from '../../onnx/ops/elementwise.ts'
import { constant, float, input, integers, noise, type OperatorCase } from './operator-case.ts'

const ROWS = 40
const WIDTH = 96

/** What is computed on each number by itself, of the types that graphs have there. */
export function elementwiseCases(): OperatorCase[] {
  return [
    unaryCase(silu, (x) => x / (1 + Math.exp(-x))),
    unaryCase(gelu, (x) => (x / 2) * (1 + errorFunction(x / Math.SQRT2))),
    unaryCase(relu, (x) => Math.max(0, x)),
    unaryCase(tanh, Math.tanh),
    unaryCase(abs, Math.abs),
    unaryCase(
      (g, x) => sqrt(g, abs(g, x)),
      (x) => Math.sqrt(Math.abs(x)),
    ),
    binaryCase(add, (a, b) => a + b),
    binaryCase(sub, (a, b) => a - b),
    binaryCase(mul, (a, b) => a * b),
    binaryCase(div, (a, b) => a / b),
    binaryCase(maximum, Math.max),
    integerCase('int64', minimum, Math.min),
    integerCase('int64', greater, (a, b) => Number(a > b)),
    integerCase('uint8', bitwiseAnd, (a, b) => a & b),
    integerCase('uint8', shiftRight, (a, b) => a >> b),
  ]
}

/** x [ROWS, WIDTH] */
function unaryCase(build: (g: GraphBuilder, x: Value) => Value, change: (x: number) => number): OperatorCase {
  const x = noise(ROWS * WIDTH, 12).map((value) => 3 * value)
  return {
    family: 'elementwise',
    operands: [input(float([ROWS, WIDTH], x))],
    build: (g, value) => build(g, value),
    outputs: [{ dims: [ROWS, WIDTH], values: Float64Array.from(x, change) }],
  }
}

type Binary = (g: GraphBuilder, a: Value, b: Value) => Value
type Combine = (a: number, b: number) => number

/** x [ROWS, WIDTH] with a row [WIDTH] of numbers that can be divided by. */
function binaryCase(build: Binary, combine: Combine): OperatorCase {
  const x = noise(ROWS * WIDTH, 12).map((value) => 3 * value)
  const row = noise(WIDTH, 11).map((value) => value + 1.5 * Math.sign(value))
  return {
    family: 'elementwise',
    operands: [input(float([ROWS, WIDTH], x)), constant(float([WIDTH], row))],
    build: (g, a, b) => build(g, a, b),
    outputs: [{ dims: [ROWS, WIDTH], values: Float64Array.from(x, (value, i) => combine(value, row[i % WIDTH]!)) }],
  }
}

/** A column and a row of whole numbers. */
function integerCase(type: 'int64' | 'uint8', build: Binary, combine: Combine): OperatorCase {
  const column = Array.from({ length: 50 }, (_, i) => (i * 37) % 251)
  const row = [0, 1, 2, 4, 7]
  return {
    family: 'elementwise',
    operands: [input(integers(type, [50, 1], column)), input(integers(type, [5], row))],
    build: (g, a, b) => cast(g, build(g, a, b), 'float32'),
    outputs: [{ dims: [50, 5], values: column.flatMap((a) => row.map((b) => combine(a, b))) }],
  }
}

/** By its series, which needs few terms for the small numbers here. */
function errorFunction(x: number): number {
  let [term, sum] = [x, x]
  for (let n = 1; n < 60; n++) {
    term *= -(x * x) / n
    sum += term / (2 * n + 1)
  }
  return (2 / Math.sqrt(Math.PI)) * sum
}
