import { InvalidRequestError } from '../../errors/index.ts'

/** A row as it stands in the file. */
interface CsvRow {
  /** Where it begins, from 1. */
  readonly line: number
  readonly cells: readonly string[]
}

/**
 * The rows of CSV (RFC 4180), each an object of its columns by the names in the first row. A quote is special at the start of
 * a cell only, and text elsewhere. Blank lines are skipped.
 *
 * @param file name of it, for errors
 * @throws InvalidRequestError naming the line that is not as it should be
 */
export async function* readCsv(
  text: AsyncIterable<string>,
  file: string,
): AsyncGenerator<{ value: Record<string, string>; line: number }, void, undefined> {
  let names: readonly string[] | undefined
  for await (const { line, cells } of splitRows(text, file)) {
    if (names === undefined) {
      const again = cells.findIndex((name, index) => cells.indexOf(name) < index)
      if (again >= 0) throw refuse(file, line, `must name each column once, got the name of column ${again + 1} twice`)
      // Spreadsheets of half of Europe separate by semicolons; every row would be one text, and be answered as that.
      const other = cells.length === 1 ? /[;\t]/.exec(cells[0]!)?.[0] : undefined
      if (other !== undefined)
        throw refuse(file, line, `must separate columns by commas, got ${other === ';' ? 'semicolons' : 'tabs'}`)
      names = cells
    } else if (cells.length === names.length) {
      yield { value: Object.fromEntries(names.map((name, index) => [name, cells[index]!])), line }
    } else {
      throw refuse(file, line, `must have as many columns as the first row, ${names.length}, got ${cells.length}`)
    }
  }
}

async function* splitRows(text: AsyncIterable<string>, file: string): AsyncGenerator<CsvRow, void, undefined> {
  let [line, begun, opened] = [1, 1, 1]
  let [cell, previous, quotes] = ['', '', 'none' as 'none' | 'open' | 'closed']
  let cells: string[] = []
  for await (const chunk of text) {
    for (const sign of chunk) {
      const isBreak = sign === '\n' || sign === '\r'
      if (quotes === 'open') {
        if (sign === '"') quotes = 'closed'
        else cell += sign
      } else if (sign === '"' && quotes === 'closed') {
        // Two quotes within a quoted cell are one of its text.
        cell += sign
        quotes = 'open'
      } else if (sign === ',' || (isBreak && previous + sign !== '\r\n')) {
        const isBlank = cells.length === 0 && quotes === 'none' && cell.trim() === ''
        cells.push(cell)
        if (isBreak) {
          if (!isBlank) yield { line: begun, cells }
          cells = []
          begun = line + 1
        }
        cell = ''
        quotes = 'none'
      } else if (quotes === 'closed') {
        throw refuse(file, line, 'must have a comma or its end after the quote that ends a cell, got more text')
      } else if (sign === '"' && cell === '') {
        quotes = 'open'
        opened = line
      } else if (!isBreak) cell += sign
      if (isBreak && previous + sign !== '\r\n') line++
      previous = sign
    }
  }
  if (quotes === 'open')
    throw refuse(file, opened, 'must end the cell that it begins with a quote, got none to the end')
  if (cells.length > 0 || cell.trim() !== '' || quotes === 'closed') yield { line: begun, cells: [...cells, cell] }
}

function refuse(file: string, line: number, reason: string): InvalidRequestError {
  return new InvalidRequestError('--each', `${file}: line ${line} ${reason}`)
}
