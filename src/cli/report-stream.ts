/** Where a report goes: stderr, or what stands for it in tests. */
export type ReportStream = Pick<NodeJS.WriteStream, 'write'> & { readonly isTTY?: boolean; readonly columns?: number }

/** What has room in a line of a terminal, as one that wraps could not be overwritten: of more, the end. */
export function inOneLine(text: string, { columns = 0 }: Pick<ReportStream, 'columns'>): string {
  // Terminals that do not know how wide they are say 0.
  if (columns === 0 || text.length < columns) return text
  return `…${text.slice(text.length - columns + 2)}`
}

export function formatTime(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  return whole < 3600 ? `${Math.ceil(whole / 60)} min` : `${(whole / 3600).toFixed(1)} h`
}
