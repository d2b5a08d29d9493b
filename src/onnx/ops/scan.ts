import type { GraphBuilder, Value } from '../graph-builder.ts'
import type { ValueInfo } from '../onnx-model.ts'

/** A sequence along the first axis of `all`, and what one of its elements is called and looks like. */
interface Scanned extends ValueInfo {
  readonly all: Value
}

/**
 * Runs `make` on each element of some sequences of the same length, one after the other, and puts the results, all of one shape, behind each
 * other. Only what one element needs is in memory at a time.
 */
export function scan(
  g: GraphBuilder,
  sequences: readonly Scanned[],
  make: (...elements: Value[]) => ValueInfo & { readonly value: Value },
): Value {
  const graph = g.body(
    sequences.map(({ name, type, dims }) => ({ name, type, dims })),
    make,
  )
  const attributes = { body: { graph }, num_scan_inputs: { int: sequences.length } }
  return g.node(
    'Scan',
    sequences.map(({ all }) => all),
    { attributes },
  )
}
