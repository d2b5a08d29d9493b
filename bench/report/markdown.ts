import type { Summary } from '../../src/cli/bench/statistics.ts'

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Median of times in milliseconds, with smallest and largest in brackets. */
export function ms({ median, min, max }: Summary): string {
  const digits = median < 100 ? 1 : 0
  return `${median.toFixed(digits)} ms (${min.toFixed(digits)}–${max.toFixed(digits)})`
}

export function percent(share: number, digits = 0): string {
  return `${(100 * share).toFixed(digits)} %`
}

export function times(ratio: number): string {
  return `${ratio.toFixed(2)}×`
}

export function figure(name: string, caption: string): string {
  return `![${caption}](results/${name}.svg)`
}
