/** Keeps directions that the examples hardly have from getting large factors: this much of the mean square. */
const RIDGE = 1e-3

/**
 * The linear map from tokens to colours with the least squares over examples, with an offset.
 *
 * @param tokens [count, channels]
 * @param colours [count, outputs]
 * @returns [channels + 1, outputs], the offset last
 */
export function fitColours(
  tokens: Float32Array,
  colours: Float32Array,
  { channels, outputs }: { readonly channels: number; readonly outputs: number },
): Float64Array {
  const count = tokens.length / channels
  const rank = channels + 1
  const width = rank + outputs
  // The normal equations beside their right sides.
  const rows = Array.from({ length: rank }, () => new Float64Array(width))
  const example = new Float64Array(width)
  for (let k = 0; k < count; k++) {
    example.set(tokens.subarray(k * channels, (k + 1) * channels))
    example[channels] = 1
    example.set(colours.subarray(k * outputs, (k + 1) * outputs), rank)
    for (let i = 0; i < rank; i++) addScaled(rows[i]!, example, example[i]!)
  }
  const trace = rows.reduce((sum, row, i) => (i < channels ? sum + row[i]! : sum), 0)
  for (let i = 0; i < channels; i++) rows[i]![i]! += (RIDGE * trace) / channels
  eliminate(rows)
  const map = new Float64Array(rank * outputs)
  for (const [i, row] of rows.entries()) map.set(row.subarray(rank), i * outputs)
  return map
}

/** Gauss-Jordan elimination; the matrix is positive definite, so that no pivots need to be looked for. */
function eliminate(rows: readonly Float64Array[]): void {
  for (const [column, pivot] of rows.entries()) {
    const factor = 1 / pivot[column]!
    for (let j = 0; j < pivot.length; j++) pivot[j]! *= factor
    for (const row of rows) if (row !== pivot) addScaled(row, pivot, -row[column]!)
  }
}

function addScaled(target: Float64Array, source: Float64Array, factor: number): void {
  for (let j = 0; j < target.length; j++) target[j]! += factor * source[j]!
}
