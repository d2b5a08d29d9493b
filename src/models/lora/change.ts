/** A matrix row after row. */
export interface Matrix {
  readonly rows: number
  readonly columns: number
  readonly values: Float32Array
}

/**
 * What is added to a matrix W [outputs, inputs]: `scale · left · right`, or `scale` times their Kronecker product, of which
 * `part` says the rows that are meant where those of several matrices stand in one.
 */
export interface Change {
  readonly kind: 'product' | 'kronecker'
  readonly left: Matrix
  readonly right: Matrix
  readonly scale: number
  /** @defaultValue all rows */
  readonly part?: { readonly first: number; readonly count: number }
  /** Path of the file that it is from, for errors. */
  readonly file: string
}

/** All changes of a checkpoint, by the name of the matrix that each is for. */
export type Changes = ReadonlyMap<string, readonly Change[]>

export function multiply(a: Matrix, b: Matrix): Matrix {
  const values = new Float32Array(a.rows * b.columns)
  for (let row = 0; row < a.rows; row++) {
    for (let inner = 0; inner < a.columns; inner++) {
      const factor = a.values[row * a.columns + inner]!
      for (let column = 0; column < b.columns; column++) {
        const at = row * b.columns + column
        values[at] = values[at]! + factor * b.values[inner * b.columns + column]!
      }
    }
  }
  return { rows: a.rows, columns: b.columns, values }
}

/** Rows and columns of the matrix that a change is for. */
export function sizeOf(change: Change): readonly [number, number] {
  const [rows, columns] = wholeSize(change)
  return [change.part?.count ?? rows, columns]
}

/** The same of all that left and right make. */
export function wholeSize({ kind, left, right }: Omit<Change, 'file'>): readonly [number, number] {
  if (kind === 'product') return [left.rows, right.columns]
  return [left.rows * right.rows, left.columns * right.columns]
}

/** Some of the rows that a change makes. */
export function takeRows(change: Change, first: number, count: number): Change {
  if (change.kind === 'kronecker') return { ...change, part: { first, count } }
  const { columns, values } = change.left
  return {
    ...change,
    left: { rows: count, columns, values: values.subarray(first * columns, (first + count) * columns) },
  }
}

/** Adds a change to whole rows of its matrix, from row `first` on. */
export function addChange(rows: Float32Array, first: number, change: Change): void {
  const { kind, left, right, scale, part } = change
  const [, width] = sizeOf(change)
  for (let start = 0; start < rows.length; start += width) {
    const row = (part?.first ?? 0) + first + start / width
    const [outer, inner] = kind === 'product' ? [row, 0] : [Math.floor(row / right.rows), row % right.rows]
    for (let column = 0; column < left.columns; column++) {
      const factor = scale * left.values[outer * left.columns + column]!
      // Of a product each column of the left meets a row of the right, of Kronecker's it is a block of columns of its own.
      const source = (kind === 'product' ? column : inner) * right.columns
      const target = kind === 'product' ? start : start + column * right.columns
      for (let i = 0; i < right.columns; i++) {
        rows[target + i] = rows[target + i]! + factor * right.values[source + i]!
      }
    }
  }
}
