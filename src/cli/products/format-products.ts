import colors from 'picocolors'
import { adviseFormat, fastestFormat } from './advise-format.ts'
import type { ProductSpeeds } from './measure-products.ts'
import { nameProductFormat } from './product-graph.ts'

/** What JSON says about products: the speeds, and what follows from them. */
export function describeProducts(products: ProductSpeeds) {
  const { format, gain, reason } = adviseFormat(products)
  return {
    ...products,
    speeds: products.speeds.map(({ format, gflops }) => ({ format: nameProductFormat(format), gflops })),
    fastest_reading: nameProductFormat(fastestFormat(products, products.rows.length - 1)),
    fastest_stepping: nameProductFormat(fastestFormat(products, 0)),
    advice: { format: nameProductFormat(format), rows_gain: gain, reason },
  }
}

export type ProductsReport = ReturnType<typeof describeProducts>

/** A table for people, a line a format, and two sentences about it. */
export function formatProducts(report: ProductsReport): string {
  const { inputs, outputs, rows, speeds, advice } = report
  const head = `${colors.bold('products')} GFLOP/s of rows × ${inputs} × ${outputs}, on the CPU`
  const columns = rows.map((count) => `${count} row${count === 1 ? '' : 's'}`)
  const wide = Math.max(...speeds.map(({ format }) => format.length))
  const line = (name: string, cells: readonly string[]) =>
    `            ${[name.padEnd(wide), ...cells.map((cell) => cell.padStart(9))].join(' ')}`
  return [
    head,
    colors.dim(line('weights', columns)),
    ...speeds.map(({ format, gflops }) =>
      line(
        format,
        gflops.map((value) => value.toFixed(0)),
      ),
    ),
    `            fastest: ${report.fastest_reading} for reading, ${report.fastest_stepping} for single tokens`,
    colors.dim(`            → best stored as ${advice.format} here: ${advice.reason}`),
  ].join('\n')
}
