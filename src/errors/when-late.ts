/** How long a piece is of the time that is waited; after each, all is heard that has come. */
const PIECE_MS = 100

/**
 * Calls when so many milliseconds have passed in which this process could hear an answer. Time in which it was busy with other requests, or stood
 * still, counts as one piece: an answer that came meanwhile is not late.
 *
 * @returns what keeps it from that
 */
export function whenLate(milliseconds: number, call: () => void): () => void {
  let left = milliseconds
  let timer: NodeJS.Timeout
  const wait = () => {
    const piece = Math.min(left, PIECE_MS)
    left -= piece
    timer = setTimeout(left > 0 ? wait : call, piece)
  }
  wait()
  return () => clearTimeout(timer)
}
