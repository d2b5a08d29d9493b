/** A function's value at a point, and its gradient there. */
export interface Slope {
  readonly value: number
  readonly gradient: Float64Array
}

/** Moves that are remembered. */
const MEMORY = 10
/** A step is taken where the value falls by this share of what the gradient promises (Armijo). */
const PROMISED = 1e-4
const HALVINGS = 30

interface Move {
  readonly by: Float64Array
  /** How the gradient changed. */
  readonly bent: Float64Array
}

/** What is minimized. It may take its time, and end the search by what it throws. */
type SlopeAt = (point: Float64Array) => Slope | Promise<Slope>

/**
 * The point of least value of a smooth function that is convex or nearly so, by L-BFGS (Nocedal and Wright, algorithm 7.5) with a
 * backtracking line search.
 *
 * @param most steps
 * @param tolerance it ends where a step gains less than this share of the value
 */
export async function minimize(
  slopeAt: SlopeAt,
  start: Float64Array,
  most: number,
  tolerance = 1e-7,
): Promise<Float64Array> {
  let point = start
  let here = await slopeAt(point)
  const moves: Move[] = []
  for (let step = 0; step < most; step++) {
    const direction = directionOf(here.gradient, moves)
    const found = await search(slopeAt, point, here, direction, moves.length === 0 ? firstStep(here.gradient) : 1)
    if (!found) break
    const by = combine(found.point, point, -1)
    const bent = combine(found.there.gradient, here.gradient, -1)
    if (dot(by, bent) > 0) moves.push({ by, bent })
    if (moves.length > MEMORY) moves.shift()
    const gain = here.value - found.there.value
    point = found.point
    here = found.there
    if (gain <= tolerance * Math.abs(here.value)) break
  }
  return point
}

/** Nothing is known of the curvature yet: a step of length 1, or less. */
function firstStep(gradient: Float64Array): number {
  return Math.min(1, 1 / Math.sqrt(dot(gradient, gradient)))
}

/** `−H · gradient`, H being what the moves tell of the inverse of the second derivatives (two-loop recursion). */
function directionOf(gradient: Float64Array, moves: readonly Move[]): Float64Array {
  let direction: Float64Array = gradient.map((value) => -value)
  const shares: number[] = []
  for (const [index, { by, bent }] of [...moves.entries()].toReversed()) {
    shares[index] = dot(by, direction) / dot(by, bent)
    direction = combine(direction, bent, -shares[index])
  }
  const last = moves.at(-1)
  if (last) {
    const scale = dot(last.by, last.bent) / dot(last.bent, last.bent)
    direction = direction.map((value) => scale * value)
  }
  for (const [index, { by, bent }] of moves.entries()) {
    direction = combine(direction, by, shares[index]! - dot(bent, direction) / dot(by, bent))
  }
  return direction
}

async function search(
  slopeAt: SlopeAt,
  point: Float64Array,
  here: Slope,
  direction: Float64Array,
  first: number,
): Promise<{ point: Float64Array; there: Slope } | undefined> {
  const promise = dot(here.gradient, direction)
  for (let halving = 0, length = first; halving < HALVINGS; halving++, length /= 2) {
    const next = combine(point, direction, length)
    const there = await slopeAt(next)
    if (there.value <= here.value + PROMISED * length * promise) return { point: next, there }
  }
  return undefined
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!
  return sum
}

/** `a + factor · b`. */
function combine(a: Float64Array, b: Float64Array, factor: number): Float64Array {
  const sum = new Float64Array(a.length)
  for (let at = 0; at < a.length; at++) sum[at] = a[at]! + factor * b[at]!
  return sum
}
