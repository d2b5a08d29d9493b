/** A line without its break, and what it has with it. */
interface Line {
  readonly text: string
  /** Bytes with the line break. */
  readonly bytes: number
  /** Whether a line break ends it; the last line may have none. */
  readonly isWhole: boolean
}

/**
 * The lines of a text in UTF-8, which end with a line feed alone or behind a carriage return. Readers of Node's own take U+2028 and U+2029 for
 * ends of lines as well, which JSON has within texts, and do not say how long a line was.
 */
export async function* splitLines(chunks: AsyncIterable<string>): AsyncGenerator<Line, void, undefined> {
  // Parts of a line that chunks cut are joined once, however many they are.
  let parts: string[] = []
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf('\n'); end !== -1; end = chunk.indexOf('\n', start)) {
      parts.push(chunk.slice(start, end))
      yield toLine(parts.join(''), true)
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.slice(start))
  }
  if (parts.length > 0) yield toLine(parts.join(''), false)
}

function toLine(line: string, isWhole: boolean): Line {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  return { text, bytes: Buffer.byteLength(line) + (isWhole ? 1 : 0), isWhole }
}
